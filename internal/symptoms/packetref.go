package symptoms

import "mpanalyze/internal/conn"

// PacketRef refers to a packet of the capture. The zero value refers to none.
type PacketRef struct {
	Packet uint64
	Time   int64 // ns
}

// Seen reports whether there is such a packet.
func (r PacketRef) Seen() bool { return r.Packet != 0 }

// refTo returns the reference to a packet.
func refTo(p *conn.Packet) PacketRef { return PacketRef{p.Seg.Num, p.Seg.Time} }

// first sets r to a packet, if it refers to none.
func (r *PacketRef) first(p *conn.Packet) {
	if !r.Seen() {
		*r = refTo(p)
	}
}

// restart lets a time that is open since r begin anew; it does nothing if none is open.
func (r *PacketRef) restart(at PacketRef) {
	if r.Seen() {
		*r = at
	}
}

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
