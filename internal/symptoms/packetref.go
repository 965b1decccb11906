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
	Total   int64 // ns
	Count   int64
	Longest PacketRange
}

// add adds one time.
func (p *Periods) add(r PacketRange) {
	p.Total += r.Duration()
	p.Count++
	if r.Duration() > p.Longest.Duration() {
		p.Longest = r
	}
}

// addAll adds the times of another sum.
func (p *Periods) addAll(o *Periods) {
	p.Total += o.Total
	p.Count += o.Count
	p.Longest = p.Longest.longer(o.Longest)
}
