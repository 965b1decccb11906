// Package hosts reads records that hosts keep of themselves: samples of ss, counters of
// nstat, events of ip mptcp monitor, endpoints, limits, settings, queues, interfaces, and
// bundles of these in one text. A file is recognised by its content: forms.txt has what lines of each kind
// look like, and what most of them tell. Stamps, commands and the fields of ss are tables, too.
//
// What a file says of one thing of a host (its counters, a device, a queue, an endpoint, a limit, a
// setting, a rule, a route, the log of a capture) is a [Record]. What has a state has a [State]: the
// record before the session, and that after it.
//
// The package knows no packet, no metric and no verdict. It reads files line by line and
// hands out rows of sockets as they come. What it keeps itself is bounded: the
// facts about a host and its events, never its rows.
package hosts
