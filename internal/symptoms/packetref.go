package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// PacketRef refers to a packet of the capture.
type PacketRef = subflow.Stamp

// refTo returns the reference to a packet.
func refTo(p *conn.Packet) PacketRef { return PacketRef{Packet: p.Seg.Num, Time: p.Seg.Time} }

// PacketRange is the time from one packet to another.
type PacketRange struct{ From, To PacketRef }

// Duration returns the time in nanoseconds.
func (r PacketRange) Duration() int64 { return r.To.Time - r.From.Time }

// longer returns the longer of two ranges, r where they are equal.
func (r PacketRange) longer(o PacketRange) PacketRange {
	if o.Duration() > r.Duration() {
		return o
	}
	return r
}

// Periods sums up times of one kind.
type Periods struct {
	since PacketRef // when the open one began; none where none is open; first, because each packet reads it

	Total   int64 // ns
	Count   int64
	Longest PacketRange
}

// follow takes whether a time of this kind lasts at a packet. It reports whether one ended.
func (p *Periods) follow(lasts bool, at PacketRef) (ended bool) {
	if lasts == p.since.Seen() {
		return false
	}
	if lasts {
		p.since = at
		return false
	}
	p.add(PacketRange{p.since, at})
	p.since = PacketRef{}
	return true
}

// until returns the times up to a packet, with the open one.
func (p Periods) until(at PacketRef) Periods {
	if p.since.Seen() && at.Time > p.since.Time {
		p.add(PacketRange{p.since, at})
	}
	p.since = PacketRef{}
	return p
}

// add adds one time.
func (p *Periods) add(r PacketRange) {
	p.Total += r.Duration()
	p.Count++
	p.Longest = p.Longest.longer(r)
}
