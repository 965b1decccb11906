package build

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/symptoms"
)

// silentAcks is the largest number of pure ACKs that a host sends on a connection
// without data: in the handshake and at the end. More ACKs may acknowledge data that is
// not in the capture.
const silentAcks = 3

// silent reports whether a subflow never carried data and a short report loses nothing.
// That is so if no segment after the SYNs has an MPTCP option, and if the host that
// opened it sent no MP_TCPRST, which would show that an MP_JOIN was removed.
func silent(s *metrics.Sub) bool {
	for side := range s.Sub.Senders {
		h := &s.Sub.Senders[side]
		unseen, _ := h.NotCaptured()
		if h.CapturedSegments > 0 || unseen > 0 || h.PureACKs > silentAcks || h.KeepAlives > 0 || s.OptionUse(conn.Side(side)).Packets > 0 {
			return false
		}
		if !s.Sub.NoSYN && h.SndUna() > synAndFIN {
			return false
		}
	}
	return !s.Reset.HasReason || s.Reset.From != s.Sub.Initiator
}

// synAndFIN is the number of positions in a stream without data: SYN and FIN.
const synAndFIN = 2

// attempt reports whether a connection of Multipath TCP did not get beyond its first
// handshake.
func attempt(m *metrics.Connection) bool {
	return len(m.Subs) == 1 && !m.Subs[0].Sub.NoSYN && !m.Subs[0].Handshake.Third.Seen() && silent(m.Subs[0]) &&
		m.Conn.Fallback == "" && m.Conn.ClockFault() == "" && m.EventsOmitted == 0 && !slices.ContainsFunc(m.Events, tells)
}

// fewPackets is the least number of packets of one end for which the report has
// figures, if no packet of the other end and no handshake was captured.
const fewPackets = 8

// tells reports whether an event has information besides the state and the reason code
// of its subflow.
func tells(e conn.Event) bool { return e.Kind != conn.EventJoinRefused && e.Kind != conn.EventReset }

// isOneSided reports whether the capture shows only a few packets of one end of a
// connection of Multipath TCP, without a handshake, a retransmission, or an option
// besides the DSS. The numbers of packets and bytes then describe it completely.
func isOneSided(m *metrics.Connection) bool {
	if len(m.Subs) != 1 || !m.Subs[0].Sub.NoSYN || m.Subs[0].Sub.Joined {
		return false
	}
	s, c := m.Subs[0], m.Conn
	one, other, space := &s.Sub.Senders[conn.A], &s.Sub.Senders[conn.B], s.Sub.Spaces[conn.A]
	unseen, _ := one.NotCaptured()
	unheard, _ := other.NotCaptured()
	return one.Packets < fewPackets && other.Packets == 0 && one.Packets == one.CapturedSegments+one.PureACKs &&
		unseen == 0 && unheard == 0 && one.RexmitSegments == 0 && one.OutOfOrder == 0 && one.KeepAlives == 0 && one.Strays == 0 &&
		space.UnmappedBytes == 0 && space.MappedBytes() == c.Spaces[conn.A].AppBytes() && m.MapsCut(conn.A) == "" && m.MapsCut(conn.B) == "" &&
		!c.VersionKnown() && c.Fallback == "" && c.ClockFault() == "" && len(m.Events) == 0 && m.EventsOmitted == 0
}

// OneSided takes a connection with a few captured packets of one end and no handshake.
// Its report is the same as that of [Builder.Add]. It has no verdicts, because the
// packets show too little.
func (b *Builder) OneSided(f *conn.OneSided) error {
	defer b.memory.Reuse()
	out := b.connectionWith(b.oneSided.of(f), oneEnd)
	out.Short, out.Verdicts = true, b.memory.Verdicts.Of(nil)
	return b.store(out, nil)
}

// oneSided holds the figures of one such connection.
type oneSided struct {
	figures metrics.Connection
	conn    conn.Conn
	sub     metrics.Sub
}

// of returns the figures of f. They are valid until the next call.
func (x *oneSided) of(f *conn.OneSided) *metrics.Connection {
	f.FillConn(&x.conn)
	if x.figures.Conn == nil {
		x.sub.Subflow = symptoms.Subflow{Sub: x.conn.Subflows[0]}
		x.figures.Conn, x.figures.Subs = &x.conn, []*metrics.Sub{&x.sub}
	}
	return &x.figures
}
