package report

import (
	"cmp"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Builder gathers the document's connections as they end.
type Builder struct {
	// Label returns the user's name for a path between two addresses, or "".
	Label func(a, b netip.Addr) string

	conns []Connection
	tcp   []tcpAt
}

// tcpAt is a plain connection with its place in the order of creation.
type tcpAt struct {
	seq int
	TCP
}

// Add takes the figures of a connection that has ended.
func (b *Builder) Add(m *metrics.Connection) {
	if m.Conn.Kind == conn.Multipath {
		b.conns = append(b.conns, b.connection(m))
		return
	}
	if len(m.Conn.Subflows) > 0 {
		b.tcp = append(b.tcp, tcpAt{m.Conn.Seq, b.plain(m)})
	}
}

// Lists returns what was gathered, in the order of first packets.
func (b *Builder) Lists() (conns []Connection, tcp []TCP) {
	slices.SortFunc(b.conns, func(x, y Connection) int { return cmp.Compare(x.ID, y.ID) })
	slices.SortFunc(b.tcp, func(x, y tcpAt) int { return cmp.Compare(x.seq, y.seq) })
	for i := range b.tcp {
		b.tcp[i].ID = i
		tcp = append(tcp, b.tcp[i].TCP)
	}
	return b.conns, tcp
}

func (b *Builder) connection(m *metrics.Connection) Connection {
	c := m.Conn
	vantage, why := c.Vantage()
	out := Connection{
		ID: c.ID, Version: int(c.Version), Checksum: c.Checksums(), Handshake: c.Handshake,
		Vantage: Vantage(vantage.String()), VantageEvidence: why,
		TokenA: token(&c.Hosts[conn.A]), TokenB: token(&c.Hosts[conn.B]),
		Start: Time(c.Start), DurationS: seconds(c.Last - c.Start),
		State: connState(c.State()), EventsOmitted: m.EventsOmitted,
	}
	if c.Handshake {
		out.Initiator = ptr(SideA)
	}
	if c.Fallback != "" {
		out.Fallback = ptr(c.Fallback)
	}
	for _, s := range m.Subs {
		out.Subflows = append(out.Subflows, b.subflow(m, s))
	}
	out.A2B, out.B2A = connDir(m, conn.A, out.Subflows), connDir(m, conn.B, out.Subflows)
	for i := range m.Events {
		out.Events = append(out.Events, event(&m.Events[i], c.Start))
	}
	return out
}

func event(e *conn.Event, start int64) Event {
	out := Event{TS: seconds(e.Time - start), Kind: EventKind(e.Kind), Detail: e.Detail}
	if e.Sub != nil {
		out.Subflow = ptr(e.Sub.ID)
	}
	if e.Packet != 0 {
		out.Packet = ptr(int64(e.Packet))
		out.Direction = ptr(direction(e.From))
	}
	return out
}

func (b *Builder) subflow(m *metrics.Connection, s *metrics.Sub) Subflow {
	sub := s.Sub
	out := Subflow{
		ID: sub.ID, Path: b.Path(sub), A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Backup: sub.Backup, JoinHMAC: [...]JoinHMAC{HMACNone, HMACUnchecked, HMACValid, HMACInvalid}[sub.HMAC],
		AddressIDA: addressID(sub, conn.A), AddressIDB: addressID(sub, conn.B),
		StartS: seconds(sub.Start - m.Conn.Start), EndS: seconds(sub.Last - m.Conn.Start),
		State: subflowState(sub),
		A2B:   subDir(m, s, conn.A), B2A: subDir(m, s, conn.B),
	}
	if !sub.Headless || sub.SYN != 0 || sub.SYNACK != 0 {
		out.Initiator = ptr(side(sub.Initiator))
	}
	out.HandshakeRTT = handshakeRTT(sub, &out.Unavailable)
	switch {
	case !sub.Joined:
		out.Unavailable.Set("join_delay_ms", "the initial subflow does not join")
	case m.Conn.Subflows[0].SYN == 0 || sub.Headless:
		out.Unavailable.Set("join_delay_ms", "a SYN is not in the capture")
	default:
		out.JoinDelay = ptr(ms(sub.Start - m.Conn.Subflows[0].Start))
	}
	out.ClosedBy, out.CloseReason = closer(sub)
	return out
}

func (b *Builder) plain(m *metrics.Connection) TCP {
	c, s := m.Conn, m.Subs[0]
	sub := s.Sub
	vantage, why := c.Vantage()
	out := TCP{
		Path: b.Path(sub), A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Vantage: Vantage(vantage.String()), VantageEvidence: why, Start: Time(c.Start),
		EndS: seconds(sub.Last - c.Start), DurationS: seconds(c.Last - c.Start), State: subflowState(sub),
		A2B: subDir(m, s, conn.A), B2A: subDir(m, s, conn.B),
	}
	if !sub.Headless {
		out.Initiator = ptr(SideA)
	}
	if c.Asked {
		out.MPTCP = ptr(Requested)
	}
	out.HandshakeRTT = handshakeRTT(sub, &out.Unavailable)
	out.ClosedBy, out.CloseReason = closer(sub)
	return out
}

// Path names what a subflow runs over.
func (b *Builder) Path(s *conn.Subflow) string {
	from, to := addr(s.Ends[conn.A]), addr(s.Ends[conn.B])
	if b.Label != nil {
		if name := b.Label(from, to); name != "" {
			return name
		}
	}
	return from.String() + "-" + to.String()
}

func handshakeRTT(s *conn.Subflow, why *Reasons) *float64 {
	if syn, ack, ok := s.Halves(); ok {
		return ptr(ms(syn + ack))
	}
	why.Set("handshake_rtt_ms", "the handshake was not captured whole")
	return nil
}

func closer(s *conn.Subflow) (who *Side, how *string) {
	if s.HasCloser {
		who = ptr(side(s.ClosedBy))
	}
	if s.CloseCause != "" {
		how = ptr(s.CloseCause)
	}
	return who, how
}

func token(h *conn.Host) *string {
	if !h.HasToken {
		return nil
	}
	return ptr(hex32(h.Token))
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

func addressID(s *conn.Subflow, side conn.Side) *int {
	switch {
	case s.AddressID[side] >= 0:
		return ptr(s.AddressID[side])
	case !s.Joined:
		return ptr(0)
	}
	return nil
}

func endpoint(e packet.Endpoint) Endpoint {
	return Endpoint{Addr: addr(e).String(), Port: int(e.Port)}
}

func addr(e packet.Endpoint) netip.Addr { return netip.AddrFrom16(e.Addr).Unmap() }

func side(s conn.Side) Side { return Side(s.String()) }

func direction(from conn.Side) Direction {
	if from == conn.A {
		return A2B
	}
	return B2A
}

func connState(s conn.State) ConnState {
	return [...]ConnState{ConnOpen, ConnClosed, ConnFastclosed, ConnReset}[s]
}

func subflowState(s *conn.Subflow) SubflowState {
	_, fa := s.Half[conn.A].FIN()
	_, fb := s.Half[conn.B].FIN()
	switch {
	case s.State == subflow.Refused || s.Refused():
		return SubflowRefused
	case s.State == subflow.Reset:
		return SubflowReset
	case s.State == subflow.Opening:
		return SubflowUnanswered
	case s.State == subflow.Closed || fa && fb:
		return SubflowClosed
	case fa || fb:
		return SubflowHalfClosed
	}
	return SubflowOpen
}

func ptr[T any](v T) *T { return &v }

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
