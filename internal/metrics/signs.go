package metrics

import (
	"math"

	"mpanalyze/internal/conn"
)

// Mark is a packet that proves something. The zero Mark is none.
type Mark struct {
	Packet uint64
	Time   int64 // ns
}

// Seen reports whether there is such a packet.
func (k Mark) Seen() bool { return k.Packet != 0 }

// markOf returns the mark of a packet.
func markOf(p *conn.Packet) Mark { return Mark{p.Seg.Num, p.Seg.Time} }

// Span is a time between two packets.
type Span struct{ From, To Mark }

// Length returns the time in nanoseconds.
func (s Span) Length() int64 { return s.To.Time - s.From.Time }

// longer returns the longer of two spans.
func (s Span) longer(o Span) Span {
	if o.Length() > s.Length() {
		return o
	}
	return s
}

// maxRivals bounds the subflows of a connection whose signs are followed.
// Further ones have figures and no signs.
const maxRivals = 32

// Signs are what explains the figures of a connection: the packets that show
// what was asked for and what became of it.
type Signs struct {
	NoJoin    [2]Mark        // the MP_CAPABLE in which a side set flag C (RFC 8684, Section 3.1)
	Addresses []Announcement // bounded by maxAnnouncements
	Removals  []Removal      // bounded by maxAnnouncements
}

// priority is what MP_PRIO last made of a subflow.
type priority uint8

const (
	asOpened priority = iota
	regular
	backup
)

// reserve reports whether a subflow is a backup at this time (RFC 8684,
// Section 3.3.8).
func (s *Sub) reserve() bool { return s.prio == backup || s.prio == asOpened && s.Sub.Backup }

// follows reports whether the signs of a packet's subflow are followed, and
// the packet is no stray.
func follows(p *conn.Packet) bool {
	return p.Conn.Kind == conn.Multipath && !p.TCP.Sent.Stray && p.Sub.ID < maxRivals
}

// tickSigns ends the cells that lie before now.
func (m *Connection) tickSigns(now int64) {
	m.tickAt = math.MaxInt64
	for side, d := range m.dirs {
		if d == nil || !d.trace.begun {
			continue
		}
		if now >= d.trace.tickAt {
			d.trace.tick(m, conn.Side(side), now)
		}
		m.tickAt = min(m.tickAt, d.trace.tickAt)
	}
}

// rivals returns the subflows whose signs are followed.
func (m *Connection) rivals() []*Sub { return m.Subs[:min(len(m.Subs), maxRivals)] }

// closeSigns ends the observation.
func (m *Connection) closeSigns(at int64) {
	for side, d := range m.dirs {
		if d != nil {
			d.trace.close(m, conn.Side(side), at)
		}
	}
}
