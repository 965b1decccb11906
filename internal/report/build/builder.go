package build

import (
	"cmp"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/subflow"
)

// Builder gathers the document's connections as they end.
type Builder struct {
	// Into takes the connections; nil to keep them for [Builder.Lists].
	Into *report.Stored
	// Mark says of which plain TCP connections [Stored.Marked] is to know; nil for none.
	Mark func(*report.TCP) bool
	// Label returns the user's name for a path between two addresses, or "".
	Label func(a, b netip.Addr) string
	// Diagnose and DiagnoseTCP give a connection its verdicts; nil for none.
	Diagnose    func(m *metrics.Connection, c *report.Connection)
	DiagnoseTCP func(m *metrics.Connection, c *report.TCP)

	// Keep says that [Builder.Merge] will be called.
	Keep bool
	// Detail says how much is told of connections.
	Detail report.Detail

	part  bool         // only a part of each direction's time is looked at
	kept  map[int]kept // with Keep: by [conn.Conn.Order]
	conns []*report.Connection
	tcp   []*report.TCP // with the place in the order of creation for an id
	why   fill.Reasons  // of the part that is being put together
	mem   fill.Memory
	few   fragment
	lone  lone
}

// kept is what was reported of one connection.
type kept struct {
	conn  *report.Connection
	tcp   *report.TCP
	fault string // why its times cannot be compared; empty where they can
}

// Add takes the figures of a connection that has ended. It fails where Into does.
func (b *Builder) Add(m *metrics.Connection) error {
	c, t := b.report(m)
	if b.Into != nil {
		defer b.mem.Reuse()
		return b.store(c, t)
	}
	switch {
	case c != nil:
		b.conns = append(b.conns, c)
	case t != nil:
		b.tcp = append(b.tcp, t)
	}
	if b.Keep {
		if b.kept == nil {
			b.kept = map[int]kept{}
		}
		b.kept[m.Conn.Order] = kept{c, t, m.Conn.ClockFault()}
		b.part = b.part || m.Part()
	}
	return nil
}

// report returns the report on a connection, as one of Multipath TCP or a plain one;
// neither where it is to be left out.
func (b *Builder) report(m *metrics.Connection) (*report.Connection, *report.TCP) {
	switch {
	case m.Conn.Kind == conn.Multipath && b.Detail == report.Lines:
		return b.line(m), nil
	case m.Conn.Kind == conn.Multipath:
		return b.connection(m), nil
	case len(m.Conn.Subflows) == 0 || b.Detail == report.NoTCP:
		return nil, nil
	case b.Detail == report.Lines:
		return nil, b.plainLine(m)
	}
	return nil, b.plain(m)
}

// store moves a report to where it goes.
func (b *Builder) store(c *report.Connection, t *report.TCP) error {
	switch {
	case c != nil:
		return b.Into.AddConnection(c, c.ID)
	case t != nil:
		return b.Into.AddTCP(t, t.ID, b.Mark != nil && b.Mark(t))
	}
	return nil
}

// Lists returns what was gathered, in the order of first packets.
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

func (b *Builder) connection(m *metrics.Connection) *report.Connection {
	c := m.Conn
	vantage, why := c.Vantage()
	out := b.mem.Conns.Of(report.Connection{
		ID: c.ID, Handshake: c.Handshake,
		Vantage: report.Vantage(vantage.String()), VantageEvidence: why,
		TokenA: b.token(&c.Hosts[conn.A]), TokenB: b.token(&c.Hosts[conn.B]),
		Start: report.Time(c.Start), DurationS: seconds(c.Last() - c.Start),
		State: connState(c.State()), EventsOmitted: m.EventsOmitted,
	})
	b.negotiated(out, m)
	if c.Handshake {
		out.Initiator = b.mem.Sides.Of(report.SideA)
	}
	if c.Fallback != "" {
		out.Fallback = new(c.Fallback)
	}
	out.FallbackCode, out.Capable = fallbackCode(&b.mem, c), capable(&b.mem, c)
	few := b.Detail != report.Full && isFragment(m)
	out.Short = few || b.Detail != report.Full && attempt(m)
	out.Subflows = b.mem.Subflows.List(len(m.Subs))
	for i, s := range m.Subs {
		b.subflow(&out.Subflows[i], m, s, out.Short)
	}
	switch {
	case few:
		h := &m.Subs[0].Sub.Senders[conn.A]
		out.A2B, out.Subflows[0].A2B = b.fewFigures(c.Spaces[conn.A].AppBytes(), h.Segments, h.CapturedSegments, h.PureACKs)
		out.B2A = &noConnFigures
	case out.Short:
		out.A2B, out.B2A = &noConnFigures, &noConnFigures
	default:
		out.A2B = b.connDir(m, conn.A, out.Subflows)
		out.B2A = b.connDir(m, conn.B, out.Subflows)
	}
	out.Events = b.mem.Events.List(len(m.Events))
	for i := range m.Events {
		out.Events[i] = b.event(&m.Events[i], c.Start)
	}
	connWithoutTimes(out, c.ClockFault())
	if m.Omits(metrics.FamilyVerdicts) {
		out.Unavailable.Set("verdicts", metrics.Unasked)
		return out
	}
	out.Verdicts = b.mem.Verdicts.Of(nil)
	if b.Diagnose != nil {
		b.Diagnose(m, out)
	}
	return out
}

func (b *Builder) event(e *conn.Event, start int64) report.Event {
	out := report.Event{TS: seconds(e.Time - start), Kind: report.EventKind(e.Kind), Detail: e.Detail, EventFacts: facts(&b.mem, &e.Facts)}
	if e.Sub != nil {
		out.Subflow = b.mem.Small.Of(e.Sub.ID)
	}
	if e.Packet != 0 {
		out.Packet = b.mem.Ints.Of(int64(e.Packet))
		out.Direction = b.mem.Directions.Of(direction(e.From))
	}
	return out
}

func (b *Builder) subflow(out *report.Subflow, m *metrics.Connection, s *metrics.Sub, short bool) {
	sub := s.Sub
	*out = report.Subflow{
		ID: sub.ID, Path: b.Path(sub), A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Backup: sub.Backup, JoinHMAC: hmacs[sub.HMAC],
		AddressIDA: b.addressID(sub, conn.A), AddressIDB: b.addressID(sub, conn.B),
		StartS: seconds(sub.Start - m.Conn.Start), EndS: seconds(sub.Last() - m.Conn.Start),
		State: subflowState(sub),
	}
	out.BackupSYN, out.BackupSYNACK = truth(&b.mem, sub.BackupBy[sub.Initiator]), truth(&b.mem, sub.BackupBy[sub.Initiator.Other()])
	if short {
		out.A2B, out.B2A = &noFigures, &noFigures
	} else {
		out.A2B = b.subDir(m, s, conn.A)
		out.B2A = b.subDir(m, s, conn.B)
	}
	if !sub.NoSYN || sub.SYN != 0 || sub.SYNACK != 0 {
		out.Initiator = b.mem.Sides.Of(side(sub.Initiator))
	}
	out.HandshakeRTT = b.handshakeRTT(sub)
	out.FastOpen = b.fastOpen(s)
	switch {
	case !sub.Joined:
		b.why.Set("join_delay_ms", "the initial subflow does not join")
	case m.Conn.Subflows[0].Joined:
		b.why.Set("join_delay_ms", "the connection's first SYN is not in the capture")
	case m.Conn.Subflows[0].SYN == 0 || sub.NoSYN:
		b.why.Set("join_delay_ms", "a SYN is not in the capture")
	default:
		out.JoinDelay = b.mem.Floats.Of(ms(sub.Start - m.Conn.Subflows[0].Start))
	}
	out.ClosedBy, out.CloseReason = b.closer(sub)
	out.Unavailable = b.why.Take()
}

func (b *Builder) plain(m *metrics.Connection) *report.TCP {
	c, s := m.Conn, m.Subs[0]
	sub := s.Sub
	vantage, why := c.Vantage()
	out := b.mem.Plain.Of(report.TCP{
		ID: c.Order, Path: b.Path(sub), A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Vantage: report.Vantage(vantage.String()), VantageEvidence: why, Start: report.Time(c.Start),
		EndS: seconds(sub.Last() - c.Start), DurationS: seconds(c.Last() - c.Start), State: subflowState(sub),
	})
	if out.Short = b.shortened(m); out.Short {
		out.A2B, out.B2A = b.shortDir(m, s, conn.A), b.shortDir(m, s, conn.B)
	} else {
		out.A2B = b.subDir(m, s, conn.A)
		out.B2A = b.subDir(m, s, conn.B)
	}
	if !sub.NoSYN {
		out.Initiator = b.mem.Sides.Of(report.SideA)
	}
	out.Capable, out.FallbackCode = capable(&b.mem, c), fallbackCode(&b.mem, c)
	if s.Setup.Bare.Seen() && s.Setup.SYNACK.Seen() {
		out.FallbackCode = b.mem.Codes.Of(report.FallbackSYN)
	}
	cut := s.OffersCut(sub.Initiator)
	switch {
	case c.AskedMPTCP:
		out.MPTCP = &requested
	case sub.NoSYN:
		b.why.Set("mptcp", "the SYN is not in the capture")
	case cut != "":
		b.why.Set("mptcp", cut)
	}
	out.HandshakeRTT = b.handshakeRTT(sub)
	out.FastOpen = b.fastOpen(s)
	out.ClosedBy, out.CloseReason = b.closer(sub)
	out.Unavailable = b.why.Take()
	tcpWithoutTimes(out, c.ClockFault())
	if b.DiagnoseTCP != nil {
		b.DiagnoseTCP(m, out)
	}
	return out
}

// Path names what a subflow runs over.
func (b *Builder) Path(s *conn.Subflow) string { return b.PathOf(s.Ends) }

// PathOf names what runs between two ends.
func (b *Builder) PathOf(ends [2]packet.Endpoint) string {
	x, y := endpoint(ends[conn.A]), endpoint(ends[conn.B])
	return b.pathOf(ends, &x, &y)
}

// pathOf is PathOf of ends whose texts are known.
func (b *Builder) pathOf(ends [2]packet.Endpoint, x, y *report.Endpoint) string {
	if b.Label != nil {
		if name := b.Label(addr(ends[conn.A]), addr(ends[conn.B])); name != "" {
			return name
		}
	}
	return x.Addr + "-" + y.Addr
}

func (b *Builder) handshakeRTT(s *conn.Subflow) *float64 {
	if syn, ack, ok := s.HandshakeHalves(); ok {
		return b.mem.Floats.Of(ms(syn + ack))
	}
	b.why.Set("handshake_rtt_ms", "the handshake was not captured whole")
	return nil
}

func (b *Builder) closer(s *conn.Subflow) (who *report.Side, how *string) {
	if s.HasCloser {
		who = b.mem.Sides.Of(side(s.ClosedBy))
	}
	if s.CloseCause != "" {
		how = b.mem.Texts.Of(s.CloseCause)
	}
	return who, how
}

func (b *Builder) token(h *conn.Host) *string {
	if !h.HasToken {
		return nil
	}
	return b.mem.Texts.Of(hex32(h.Token))
}

func hex32(v uint32) string {
	const digits = "0123456789abcdef"
	b := []byte("0x00000000")
	for i := 9; i > 1; i-- {
		b[i] = digits[v&15]
		v >>= 4
	}
	return string(b)
}

func (b *Builder) addressID(s *conn.Subflow, side conn.Side) *int {
	switch {
	case s.AddressID[side] >= 0:
		return b.mem.Small.Of(s.AddressID[side])
	case !s.Joined:
		return b.mem.Small.Of(0)
	}
	return nil
}

func endpoint(e packet.Endpoint) report.Endpoint {
	return report.Endpoint{Addr: addr(e).String(), Port: int(e.Port)}
}

func addr(e packet.Endpoint) netip.Addr { return netip.AddrFrom16(e.Addr).Unmap() }

func side(s conn.Side) report.Side { return report.Side(s.String()) }

func direction(from conn.Side) report.Direction {
	if from == conn.A {
		return report.A2B
	}
	return report.B2A
}

func connState(s conn.State) report.ConnState {
	return [...]report.ConnState{report.ConnOpen, report.ConnClosed, report.ConnFastclosed, report.ConnReset}[s]
}

func subflowState(s *conn.Subflow) report.SubflowState {
	_, fa := s.Senders[conn.A].FIN()
	_, fb := s.Senders[conn.B].FIN()
	switch {
	case s.State == subflow.Refused || s.Refused():
		return report.SubflowRefused
	case s.State == subflow.Reset:
		return report.SubflowReset
	case s.State == subflow.Opening:
		return report.SubflowUnanswered
	case s.State == subflow.Closed || fa && fb:
		return report.SubflowClosed
	case fa || fb:
		return report.SubflowHalfClosed
	}
	return report.SubflowOpen
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
