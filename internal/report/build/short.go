package build

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// silentAcks is how many pure ACKs a host may send on a connection that counts as
// one that never carried data: those of a handshake and of the end. More of them
// may be of data that the capture does not show.
const silentAcks = 3

// silent reports whether a subflow never carried data, and shows nothing else that
// a short report could not say: no option of Multipath TCP behind the SYNs, and no
// MP_TCPRST of the host that opened it, which tells of an MP_JOIN that was removed.
func silent(s *metrics.Sub) bool {
	for side := range s.Sub.Senders {
		h := &s.Sub.Senders[side]
		unseen, _ := h.NotCaptured()
		if h.CapturedSegments > 0 || unseen > 0 || h.PureACKs > silentAcks || h.KeepAlives > 0 || s.Talk(conn.Side(side)).Packets > 0 {
			return false
		}
		if !s.Sub.NoSYN && h.SndUna() > synAndFIN {
			return false
		}
	}
	return !s.Setup.HasReason || s.Setup.ResetFrom != s.Sub.Initiator
}

// synAndFIN is what is acknowledged of a stream without data: SYN and FIN.
const synAndFIN = 2

// attempt reports whether a connection of Multipath TCP is one that never got
// further than its first handshake.
func attempt(m *metrics.Connection) bool {
	return len(m.Subs) == 1 && !m.Subs[0].Sub.NoSYN && !m.Subs[0].Setup.Third.Seen() && silent(m.Subs[0]) &&
		m.Conn.Fallback == "" && m.Conn.ClockFault() == "" && m.EventsOmitted == 0 && !slices.ContainsFunc(m.Events, tells)
}

// fewPackets is how many packets of one end, and none of the other, a connection shows at
// least without a captured handshake for its report to have figures.
const fewPackets = 8

// tells reports whether an event is more than what state and reason code of a subflow
// say.
func tells(e conn.Event) bool { return e.Kind != conn.EventJoinRefused && e.Kind != conn.EventReset }

// isOneSided reports whether so little was captured of a connection of Multipath TCP that
// its packets and bytes say all: few packets of one end, without a handshake, that carry
// nothing again, acknowledge nothing new, and have no options beside the DSS.
func isOneSided(m *metrics.Connection) bool {
	if len(m.Subs) != 1 || !m.Subs[0].Sub.NoSYN || m.Subs[0].Sub.Joined {
		return false
	}
	s, c := m.Subs[0], m.Conn
	one, other, lane := &s.Sub.Senders[conn.A], &s.Sub.Senders[conn.B], s.Sub.Spaces[conn.A]
	unseen, _ := one.NotCaptured()
	unheard, _ := other.NotCaptured()
	return one.Packets < fewPackets && other.Packets == 0 && one.Packets == one.CapturedSegments+one.PureACKs &&
		unseen == 0 && unheard == 0 && one.RexmitSegments == 0 && one.OutOfOrder == 0 && one.KeepAlives == 0 && one.Strays == 0 &&
		lane.UnmappedBytes == 0 && lane.MappedBytes() == c.Spaces[conn.A].AppBytes() && m.MapsCut(conn.A) == "" && m.MapsCut(conn.B) == "" &&
		!c.VersionKnown() && c.Fallback == "" && c.ClockFault() == "" && len(m.Events) == 0 && m.EventsOmitted == 0
}

// oneSidedFigures returns what the report on packets of one end says of the direction from A to B: how
// many bytes passed, in so many segments, in so many packets, and pure ACKs.
func (b *Builder) oneSidedFigures(bytes, segments, packets, acks int64) (*report.ConnDir, *report.SubDir) {
	n := b.memory.Ints.Of(bytes)
	return b.memory.ConnDirs.Of(report.ConnDir{Bytes: n, Segments: segments}), b.memory.SubDirs.Of(report.SubDir{
		Segments: segments, CapturedSegments: packets, PureAcks: acks, Bytes: n, BytesUnique: n,
	})
}

// nothing is a number of bytes, which nobody changes.
var nothing = new(int64)

// shortDir returns what a short report says of a direction: how much it carried. The
// bytes sent again are for the summary alone.
func (b *Builder) shortDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	if s.Sub.Senders[from].CapturedSegments == 0 {
		return &noFigures
	}
	c := m.Carried(s, from)
	out := b.memory.SubDirs.Of(report.SubDir{RetransmittedBytes: c.Retransmitted})
	if c.Cut == "" {
		out.Bytes, out.BytesUnique = b.memory.Ints.Of(c.Bytes), b.memory.Ints.Of(c.Unique)
	}
	return out
}

// The directions of what never carried data; nobody changes them.
var (
	noFigures     = report.SubDir{Bytes: nothing, BytesUnique: nothing}
	noConnFigures = report.ConnDir{Bytes: nothing}
)

// shortened returns whether the report on plain TCP is short.
func (b *Builder) shortened(m *metrics.Connection) bool {
	return b.Detail == report.Summary || b.Detail == report.WithData && m.Conn.ClockFault() == "" && silent(m.Subs[0])
}
