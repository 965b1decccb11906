// Package overview adds up the connections of a report: how much each path carried, how often
// there is which verdict and what it costs, and which connections are the worst. It reads one
// connection at a time. Its memory is bounded for any number of connections: [Keep] says how
// many of the worst connections it keeps.
package overview

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

// Overview is what the connections of a report say together.
type Overview struct {
	// Connections of Multipath TCP.
	Connections int `json:"connections"`
	// Plain TCP connections.
	TCP int `json:"tcp"`
	// Application bytes of Multipath TCP from A to B, each counted once.
	BytesA2B int64 `json:"a2b_bytes"`
	// The same from B to A.
	BytesB2A int64 `json:"b2a_bytes"`
	// Payload bytes of plain TCP, both ways, each counted once.
	BytesTCP int64 `json:"tcp_bytes"`
	// First packet of any connection to the last of any, seconds.
	DurationS float64 `json:"duration_s"`
	// Connections of Multipath TCP that carried data over one path only.
	OnePath int `json:"one_path_connections"`
	// Those that carried data over several paths.
	SeveralPaths int `json:"several_path_connections"`
	// What paths are named by: "path" (label or address pair), or, of many address pairs, "address of a" or "address of b".
	Naming string `json:"paths_by"`
	// What the subflows of Multipath TCP carried by path and direction, the most bytes first.
	Paths []Path `json:"paths"`
	// Bytes of paths beyond the 1024 that are told apart.
	OmittedBytes int64 `json:"omitted_path_bytes"`
	// Verdicts of one code on one path, the most severe and costliest first, but the losses of a path before what they explain; of a
	// code on more than 8 paths all of them together.
	Groups []Group `json:"groups"`

	// Uncaptured says that data passed on paths that the captures do not show.
	Uncaptured bool `json:"-"`
	// Only is the direction that was asked for, or that alone is in the capture; empty for both.
	Only report.Direction `json:"-"`
	// Lacking says that some connections have one direction alone.
	Lacking bool `json:"-"`
	// NoneInTime says that no data passed in the time that --from and --to leave.
	NoneInTime bool `json:"-"`

	// Worst are the connections, the worst first, as many as were asked for.
	Worst []Ref `json:"-"`
}

// Path is what the subflows over one path carried in one direction.
type Path struct {
	// Name of the path, see paths_by.
	Path string `json:"path"`
	// Way of the data.
	Direction report.Direction `json:"direction"`
	// Subflows that carried data.
	Subflows int `json:"subflows"`
	// Application bytes that it was the first to carry.
	Bytes int64 `json:"bytes"`
	// These bytes / those of all paths in the direction, percent.
	Share float64 `json:"share_percent"`
	// Payload bytes while any subflow carried some / that time, Mbit/s; null where it was too short to tell.
	Rate *float64 `json:"mbps"`
	// Mean smoothed round-trip time, each subflow weighed by its samples, ms; null without samples. Of several kinds of evidence that with most samples.
	SRTT *float64 `json:"srtt_ms"`
	// Dropped / sent segments, percent; null where losses are not known. Of several kinds of evidence that with most segments.
	Loss *float64 `json:"loss_percent"`
}

// Group is the verdicts of one code on one path.
type Group struct {
	// Stable name of the reason, for programs.
	Code report.VerdictCode `json:"code"`
	// The most severe among them.
	Severity report.Severity `json:"severity"`
	// Path that they concern, see paths_by; empty where they concern several, or the connection itself.
	Path string `json:"path"`
	// Connections that have one; of losses that were judged together, those that lost data.
	Connections int `json:"connections"`
	// Connections with a subflow on that path; all of the report where path is empty.
	Of int `json:"of_connections"`
	// Whether all connections over the path were judged together, however short each of them is: their losses are added up, their round
	// trips are compared with those of the other paths.
	Together bool `json:"together"`
	// Time that they took, seconds, added up; null where none was measured.
	CostS *float64 `json:"cost_s"`
	// Bytes that they concern, added up; null where none are known.
	CostBytes *int64 `json:"cost_bytes"`
	// The causes that they name, that of most verdicts first; empty where the code itself is the cause.
	Causes []CauseCount `json:"causes"`
	// The same for people, in a few plain words, of the worst of them; empty where all were judged together.
	Headline string `json:"headline"`
	// What the worst of them says, or what all together show.
	Text string `json:"text"`
	// What to do about the worst of them.
	Remedy string `json:"remedy"`
	// Number of the connection that has the worst of them, in its list.
	Worst int `json:"worst_connection"`
	// Whether that is a plain TCP connection.
	WorstTCP bool `json:"worst_is_tcp"`

	weight, worst float64 // seconds that verdicts cost, all and the worst
	counted       member  // the connections
}

// Ref is a connection of a report.
type Ref struct {
	TCP bool // plain
	At  int  // in the list of its kind

	id       int // its number
	severity int
	weight   float64
	bytes    int64
}

// Bounds of memory.
const (
	maxPaths  = 1024 // paths, for each way to name them
	maxGroups = 4096 // groups, for each way to name paths; a further verdict counts in a group without a path
	// FewPaths is the largest number of paths that are named by their address pairs. If there
	// are more, the addresses of one host are their names.
	FewPaths = 8
)

// Keep says which connections [Overview.Worst] holds.
type Keep struct {
	Worst int  // number of connections; each takes 48 bytes
	TCP   bool // whether plain TCP connections are among them
}

// Of returns the overview of a report.
func Of(s report.Source, keep Keep) (*Overview, error) {
	b := newBuilder(keep)
	b.part = s.Head().MadeBy.PartOfTime()
	if err := report.Each(s, b.connection, b.plain); err != nil {
		return nil, err
	}
	return b.finish(), nil
}

// weight returns how many seconds a verdict costs a connection: its percentage of the connection's
// duration. A critical verdict or a warning without a percentage costs the whole duration.
func weight(v *report.Verdict, duration float64) float64 {
	switch w := v.Weight(); {
	case v.Severity == report.Fine:
		return 0
	case w != nil:
		return *w / 100 * duration
	case v.Severity != report.Minor:
		return duration
	}
	return 0
}

// worse orders connections, the worst first. Equal ones stay in the order of the report.
func worse(x, y Ref) int {
	return cmp.Or(cmp.Compare(x.severity, y.severity), cmp.Compare(y.weight, x.weight), cmp.Compare(y.bytes, x.bytes))
}

// bySeverity orders groups. Equal ones stay in the order in which they appeared, whatever their
// addresses.
func bySeverity(x, y Group) int {
	return cmp.Or(cmp.Compare(x.Severity.Rank(), y.Severity.Rank()), cmp.Compare(y.weight, x.weight), cmp.Compare(y.Connections, x.Connections),
		cmp.Compare(x.Code, y.Code))
}

// inOrder gives the groups of a single connection the order of its verdicts, which knows what follows from what.
func (t *table) inOrder(groups []Group) {
	place := func(g Group) uint { // where there is none, the last
		return uint(slices.IndexFunc(t.groups.order, func(k groupKey) bool { return k.code == g.Code && (g.Path == "" || k.path == g.Path) }))
	}
	slices.SortStableFunc(groups, func(x, y Group) int { return cmp.Compare(place(x), place(y)) })
}

// finish chooses how paths are named, and sorts everything.
func (b *builder) finish() *Overview {
	o := &b.out
	n := b.naming()
	t := &b.tables[n]
	o.Naming = []string{"path", "address of a", "address of b"}[n]
	o.NoneInTime = b.part && !b.shares
	if b.last > b.first {
		o.DurationS = float64(b.last-b.first) / 1e9
	}
	o.Paths, o.OmittedBytes = t.list()
	o.Groups = b.together(t, b.groups(t))
	for i := range o.Groups {
		g := &o.Groups[i]
		if g.Of = o.Connections + o.TCP; t.members.of[g.Path] != nil && g.Path != "" {
			g.Of = t.members.of[g.Path].connections
		}
		g.sortCauses()
	}
	if o.Connections+o.TCP == 1 {
		t.inOrder(o.Groups)
	} else {
		slices.SortStableFunc(o.Groups, bySeverity)
		lossFirst(o.Groups)
	}
	slices.SortStableFunc(o.Worst, worse)
	o.Worst = o.Worst[:min(len(o.Worst), b.keep.Worst)]
	return o
}

// groups returns the groups of a table. A code with many paths has one group for all of them.
func (b *builder) groups(t *table) []Group {
	paths := map[report.VerdictCode]int{}
	for _, key := range t.groups.order {
		paths[key.code]++
	}
	out := []Group{} // an empty list in JSON
	for _, key := range t.groups.order {
		if paths[key.code] <= FewPaths {
			out = append(out, *t.groups.of[key])
		}
	}
	for _, key := range b.whole.groups.order {
		if paths[key.code] > FewPaths {
			out = append(out, *b.whole.groups.of[key])
		}
	}
	return out
}

// naming chooses how paths are named: by address pair or label, if there are few of them. Else
// it takes the addresses of the end at which more connections used several addresses. If both
// ends are equal in that, it takes the end with fewer addresses.
func (b *builder) naming() int {
	switch n := func(naming int) int { return len(b.tables[naming].members.order) }; {
	case n(byPair) <= FewPaths:
		return byPair
	case b.varies[0] > b.varies[1], b.varies[0] == b.varies[1] && n(byA) <= n(byB):
		return byA
	}
	return byB
}

// round returns the nearest whole number.
func round(v float64) int64 { return int64(math.Round(v)) }
