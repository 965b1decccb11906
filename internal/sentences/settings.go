package sentences

import "strings"

// setting is a command or a sysctl, or how several of them begin, that not every kernel has.
type setting struct {
	text    string
	since   release // first release of mainline Linux that is known to have it
	without string  // what a kernel that lacks it does or takes instead, a clause; empty for nothing
}

// settings has what decides from which release on a clause of the texts holds. testdata/settings.md
// lists every command and every sysctl of the texts, with the sources.
var settings = []setting{
	{text: "sysctl -w net.mptcp.enabled", since: release{5, 6}},
	{text: "mptcpize run", since: release{5, 6}},
	{text: "ip mptcp", since: release{5, 7}},
	{text: "ip mptcp endpoint change", since: release{5, 12}},
	{text: "subflow fullmesh", since: release{5, 15}},
	{text: "net.mptcp.add_addr_timeout", since: release{5, 15}},
	{text: "net.mptcp.allow_join_initial_addr_port", since: release{5, 15}},
	{text: "net.mptcp.checksum_enabled", since: release{5, 15}},
	{text: "net.mptcp.stale_loss_cnt", since: release{5, 15}},
	{text: "net.ipv4.tcp_shrink_window", since: release{6, 5}},
	{text: "net.mptcp.scheduler", since: release{6, 6}},
	{text: "net.mptcp.available_schedulers", since: release{6, 11}},
	{text: "the retransmission timeout of its subflows", since: release{6, 18}},
	{text: "net.mptcp.add_addr_v6_port_drop_ts", since: release{7, 2}},
	{
		text: "net.mptcp.blackhole_timeout", since: release{6, 12},
		without: "each new connection asks for Multipath TCP again, so let the program use plain TCP to that server while the firewall stays",
	},
	{
		text: "net.mptcp.syn_retrans_before_tcp_fallback", since: release{6, 14},
		without: "6.12 and 6.13 leave the option out after 2 repeated SYNs, older kernels repeat it to the end, and no setting changes that",
	},
	{
		text: "ip mptcp endpoint add ADDRESS dev INTERFACE laminar", since: release{6, 18},
		without: "which local address a subflow to an announced address gets is up to the routes, or to fullmesh endpoints, which all try it",
	},
}

// needs returns the first release that has all settings of a clause, and what holds for
// kernels before it.
func needs(clause string) (since release, without string) {
	for i := range settings {
		if s := &settings[i]; since.before(s.since) && strings.Contains(clause, s.text) {
			since, without = s.since, s.without
		}
	}
	return since, without
}
