package build

import (
	"cmp"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// Judge gives connections their verdicts.
type Judge interface {
	Connection(m *metrics.Connection, c *report.Connection)
	TCP(m *metrics.Connection, t *report.TCP)
	// Waits returns the verdicts on data that waited for delivery, as the capture at
	// the receiver of the data shows it. [Builder.Merge] needs them.
	Waits(m *metrics.Connection, c *report.Connection) []report.Verdict
	// Related says which plain TCP connections [report.Stored.Marked] returns.
	Related(t *report.TCP) bool
}

// Words makes the words of verdicts.
type Words interface {
	Connection(c *report.Connection)
	TCP(t *report.TCP)
}

// Builder makes the reports of connections as they end.
type Builder struct {
	// Into takes the connections; nil to keep them for [Builder.Lists].
	Into *report.Stored
	// Label returns the user's name for a path between two addresses, or "".
	Label func(a, b netip.Addr) string
	// Judge gives the connections their verdicts; nil for none.
	Judge Judge
	// Words makes the words of verdicts for [Builder.Verdicts]; nil for none.
	Words Words
	// OnlyIn is the capture that the connections are from, of two for [Builder.Merge]; nil for
	// one capture.
	OnlyIn *report.Host
	// End is the host whose capture gives the figures that both captures show; empty for the
	// sender's figures with the receiver's order and head-of-line blocking.
	End report.Host
	// Detail says how much is reported about connections.
	Detail report.Detail
	// LeftOut counts the plain TCP connections that Detail leaves out.
	LeftOut int

	soFar    bool         // only figures that verdicts need are reported
	part     bool         // only a part of each direction's time is looked at
	kept     map[int]kept // with OnlyIn: by [conn.Conn.Order]
	conns    []*report.Connection
	tcp      []*report.TCP // their ID is the order of creation until the list is complete
	reasons  fill.Reasons  // reasons of the part that is being filled in
	memory   fill.Memory
	oneSided oneSided
	loneSYN  loneSYN
}

// kept is the report of one connection, for [Builder.Merge].
type kept struct {
	conn  *report.Connection
	tcp   *report.TCP
	fault string           // why its times cannot be compared; empty where they can
	waits []report.Verdict // result of [Judge.Waits]
}

// Add takes the figures of a connection that has ended. It fails where Into does.
func (b *Builder) Add(m *metrics.Connection) error { return b.add(m, b.Judge) }

// AddUnjudged is [Builder.Add] for a connection that has its verdicts in another report.
func (b *Builder) AddUnjudged(m *metrics.Connection) error { return b.add(m, nil) }

func (b *Builder) add(m *metrics.Connection, by Judge) error {
	c, t := b.report(m, by)
	if b.Into != nil {
		defer b.memory.Reuse()
		return b.store(c, t)
	}
	switch {
	case c != nil:
		b.conns = append(b.conns, c)
	case t != nil:
		b.tcp = append(b.tcp, t)
	}
	if b.OnlyIn != nil {
		if b.kept == nil {
			b.kept = map[int]kept{}
		}
		k := kept{conn: c, tcp: t, fault: m.Conn.ClockFault()}
		if b.Judge != nil && *b.OnlyIn == report.ReceiverHost && c != nil && c.Verdicts != nil {
			k.waits = b.Judge.Waits(m, c)
		}
		b.kept[m.Conn.Order] = k
		b.part = b.part || m.Part()
	}
	return nil
}

// Verdicts returns the verdicts on a connection without adding the connection to the
// report. If the connection is still open, the caller must call
// [metrics.Connection.LookSoFar] first.
func (b *Builder) Verdicts(m *metrics.Connection) []report.Verdict {
	b.soFar = true
	defer b.memory.Reuse()
	c, t := b.report(m, b.Judge)
	switch {
	case c != nil && c.Verdicts != nil:
		b.say(c, nil)
		return slices.Clone(*c.Verdicts)
	case t != nil:
		b.say(nil, t)
		return slices.Clone(t.Verdicts)
	}
	return nil
}

// say makes the words of the verdicts on one of both.
func (b *Builder) say(c *report.Connection, t *report.TCP) {
	switch {
	case b.Words == nil:
	case c != nil:
		b.Words.Connection(c)
	default:
		b.Words.TCP(t)
	}
}

// report returns the report on a connection, of Multipath TCP or of plain TCP. Both are
// nil if the connection is left out. The verdicts are those of by; nil for none.
func (b *Builder) report(m *metrics.Connection, by Judge) (*report.Connection, *report.TCP) {
	switch {
	case m.Conn.Kind == conn.Multipath:
		return b.connection(m, by), nil
	case len(m.Conn.Subflows) == 0:
		return nil, nil
	case b.Detail == report.NoTCP:
		b.LeftOut++
		return nil, nil
	}
	return nil, b.plain(m, by)
}

// store adds a report to Into or to the lists.
func (b *Builder) store(c *report.Connection, t *report.TCP) error {
	switch {
	case c != nil:
		return b.Into.AddConnection(c, c.ID)
	case t != nil:
		return b.Into.AddTCP(t, t.ID, b.Judge != nil && b.Judge.Related(t))
	}
	return nil
}

// Lists returns the reports, in the order of first packets.
func (b *Builder) Lists() (conns []report.Connection, tcp []report.TCP) {
	slices.SortFunc(b.conns, func(x, y *report.Connection) int { return cmp.Compare(x.ID, y.ID) })
	slices.SortFunc(b.tcp, func(x, y *report.TCP) int { return cmp.Compare(x.ID, y.ID) })
	for i, c := range b.tcp {
		c.ID = i
	}
	return flat(b.conns), flat(b.tcp)
}

// flat moves the values into one list and forgets where they were.
func flat[T any](all []*T) []T {
	out := make([]T, len(all))
	for i, v := range all {
		out[i], all[i] = *v, nil
	}
	return out
}
