package dss

import (
	"mpanalyze/internal/seq"
)

// Space is one direction of a connection's data sequence space.
type Space struct {
	Bytes         int64 // distinct octets of data seen, DATA_FIN not counted
	WaitingBytes  int64 // octets seen and not DATA_ACKed
	WaitingUnits  int64 // the same in segments, chunk by chunk
	AckedBytes    int64 // octets acknowledged or SACKed on a subflow and not DATA_ACKed
	AckedUnits    int64 // the same in segments, chunk by chunk
	AckedUnseen   int64 // octets DATA_ACKed that were never captured
	CopyFirst     int64 // octets of reinjected chunks whose copy was acknowledged before the original
	OriginalFirst int64 // octets of reinjected chunks whose original was acknowledged first
	Contradicting int64 // mappings that contradict an earlier one
	Strays        int64 // mappings and DATA_ACKs whose number fits no window

	base  uint64 // absolute number of position 0, the IDSN where it is known
	known bool   // base is set
	wide  bool   // the upper half of base is known
	idsn  bool   // base is the IDSN, from a key

	nxt     seq.DSN // end of the data seen
	ack     seq.DSN // highest DATA_ACK
	acked   bool    // any DATA_ACK was seen
	edge    seq.DSN // end of the data seen without a gap
	fin     seq.DSN // position of the DATA_FIN; valid with finSeen
	finSeen bool

	seen  seq.Set[seq.DSN] // bounded by maxSeen
	held  seq.Set[seq.DSN] // acknowledged on a subflow, above the DATA_ACK; bounded by maxSeen
	lanes []*Lane

	pieces  []Piece
	checks  []Check
	settled []*Chunk
	nextID  uint64
}

// maxSeen bounds the runs of data seen: holes in the space. At the bound the
// oldest runs are forgotten, and a copy of their data counts as new.
const maxSeen = 1 << 15

// farAway is how far a number may lie from what is known before it is taken
// for a stray: a data-level window is at most 2^30 octets wide.
const farAway = 1 << 31

// PieceKind says what a piece of payload is at the data level.
type PieceKind uint8

// The kinds of a piece.
const (
	First          PieceKind = iota // data that was never sent before
	Retransmission                  // sent again on the same subflow at the same position of it
	Reinjection                     // sent before, on another subflow at least
	ReinjectedSame                  // sent before, and only on this very subflow
)

// Piece is a run of one packet's payload under one mapping and of one kind.
type Piece struct {
	Data    seq.Range[seq.DSN]
	SSN     seq.SSN // subflow position of Data.Start
	Kind    PieceKind
	Bad     bool   // under a mapping whose checksum failed
	Packet  uint64 // number of the packet that carried it
	Time    int64  // ns
	CheckID uint64 // the checksum that will tell whether the data is sound; 0 = none pending
	Payload []byte // captured part; nil where payload is not kept
}

// Check is a settled checksum.
type Check struct {
	ID     uint64
	Result CheckResult
	Packet uint64 // number of the packet that announced the mapping
	SSN    seq.SSN
	DSN    seq.DSN
}

// NewLane returns the lane of subflow number sub.
func (sp *Space) NewLane(sub int) *Lane {
	l := &Lane{Sub: sub}
	sp.lanes = append(sp.lanes, l)
	return l
}

// SetIDSN fixes the origin of the space at the initial data sequence number
// that follows from the sender's key (RFC 8684, Section 3.1).
func (sp *Space) SetIDSN(idsn uint64) {
	if sp.known {
		return
	}
	sp.base, sp.known, sp.wide, sp.idsn = idsn, true, true, true
	sp.nxt, sp.ack, sp.edge = 1, 1, 1
}

// Known reports whether any number of the space has been seen, and whether
// its origin is the IDSN.
func (sp *Space) Known() (known, idsn bool) { return sp.known, sp.idsn }

// Absolute returns the data sequence number of p as it stands on the wire in
// 8 octets; ok is false while the upper half is unknown.
func (sp *Space) Absolute(p seq.DSN) (n uint64, ok bool) { return sp.base + uint64(p), sp.wide }

// Next returns the end of the data seen, Ack the highest DATA_ACK.
func (sp *Space) Next() seq.DSN { return sp.nxt }

// Ack returns the highest DATA_ACK and whether there was one.
func (sp *Space) Ack() (seq.DSN, bool) { return sp.ack, sp.acked }

// Edge returns the end of the data that was seen without a gap.
func (sp *Space) Edge() seq.DSN { return sp.edge }

// FIN returns the position of the DATA_FIN and whether one was seen.
func (sp *Space) FIN() (seq.DSN, bool) { return sp.fin, sp.finSeen }

// FINAcked reports whether the DATA_FIN was seen and DATA_ACKed.
func (sp *Space) FINAcked() bool { return sp.finSeen && sp.acked && sp.ack > sp.fin }

// Position widens a number of the wire to a position (RFC 8684, Section
// 3.3.1: 4-octet numbers stand for the 64-bit one nearest to the window).
func (sp *Space) Position(wire uint64, octets8 bool) (p seq.DSN, ok bool) {
	if !sp.known {
		sp.base, sp.known, sp.wide = wire-1, true, octets8
		sp.nxt, sp.ack, sp.edge = 1, 1, 1
		return 1, true
	}
	near := max(sp.nxt, sp.ack)
	if !octets8 {
		p = near + seq.DSN(int32(uint32(wire)-uint32(sp.base)-uint32(near)))
		return p, true
	}
	if !sp.wide {
		low := seq.Unwrap(seq.Wire(wire), seq.Wire(sp.base), near)
		sp.base, sp.wide = wire-uint64(low), true
	}
	p = seq.DSN(wire - sp.base)
	if d := p - near; d > farAway || d < -farAway {
		sp.Strays++
		return 0, false
	}
	return p, true
}

// DataAck takes a DATA_ACK up to position p at time now, and returns the
// chunks that it covers for the first time; they are valid until the next
// packet.
func (sp *Space) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	sp.settled = sp.settled[:0]
	if sp.acked && p <= sp.ack {
		return false, nil
	}
	passed := seq.Range[seq.DSN]{Start: sp.ack, End: p}
	sp.WaitingBytes -= sp.seen.Overlap(passed)
	sp.AckedBytes -= sp.held.Overlap(passed)
	sp.held.DropBelow(p)
	sp.ack, sp.acked = max(p, sp.ack), true
	for _, l := range sp.lanes {
		i := l.nextAcked
		for ; i < len(l.chunks) && l.chunks[i].Data.End <= p; i++ {
			c := &l.chunks[i]
			if c.DataAcked != 0 {
				continue
			}
			c.DataAcked = now
			sp.WaitingUnits -= int64(c.Units)
			if c.Acked != 0 {
				sp.AckedUnits -= int64(c.Units)
			}
			sp.settled = append(sp.settled, c)
		}
		l.nextAcked = i
	}
	if data := min(p, sp.dataEnd(p)); data > sp.nxt {
		sp.AckedUnseen += int64(data - sp.nxt)
		sp.nxt = data
	}
	return true, sp.settled
}

// dataEnd returns p less the DATA_FIN that it may acknowledge.
func (sp *Space) dataEnd(p seq.DSN) seq.DSN {
	if sp.finSeen && p > sp.fin {
		return sp.fin
	}
	return p
}

// DataFIN notes that the DATA_FIN occupies position p.
func (sp *Space) DataFIN(p seq.DSN) (fresh bool) {
	fresh = !sp.finSeen
	if fresh {
		sp.fin, sp.finSeen = p, true
	}
	return fresh
}

// Acked notes that positions r of lane l were acknowledged or SACKed on their
// subflow at time now.
func (sp *Space) Acked(l *Lane, r seq.Range[seq.SSN], now int64) {
	for i := l.maps.find(r.Start); i < len(l.maps.list) && l.maps.list[i].SSN.Start < r.End; i++ {
		m := &l.maps.list[i]
		run := m.SSN.Intersect(r)
		if run.Empty() {
			continue
		}
		data := seq.Range[seq.DSN]{Start: m.at(run.Start), End: m.at(run.End)}
		if above := (seq.Range[seq.DSN]{Start: max(data.Start, sp.ack), End: data.End}); !above.Empty() {
			sp.AckedBytes += sp.held.Add(above)
			sp.held.DropOldest(maxSeen)
		}
		sp.mark(l, data, now, false)
		if l.ReinjectedBytes > 0 {
			for _, other := range sp.lanes {
				if other != l {
					sp.mark(other, data, now, true)
				}
			}
		}
	}
}

// mark sets the acknowledgment of the chunks of l whose last octet lies in r;
// copied says that another subflow's copy was acknowledged.
func (sp *Space) mark(l *Lane, r seq.Range[seq.DSN], now int64, copied bool) {
	i := l.hint
	if i < l.head || i >= len(l.chunks) || l.chunks[i].Data.End <= r.Start || i > l.head && l.chunks[i-1].Data.End > r.Start {
		i = l.search(r.Start)
	}
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= r.End; i++ {
		c := &l.chunks[i]
		if c.Acked != 0 {
			continue
		}
		c.Acked = now
		if copied {
			sp.CopyFirst += c.Data.Len()
		} else if c.copied {
			sp.OriginalFirst += c.Data.Len()
		}
		if c.DataAcked == 0 {
			sp.AckedUnits += int64(c.Units)
		}
	}
	l.hint = i
}

// InOrder appends to buf the chunks below which everything has been seen for
// the first time at time now.
func (sp *Space) InOrder(now int64, buf []*Chunk) []*Chunk {
	for _, l := range sp.lanes {
		i := l.nextOrder
		for ; i < len(l.chunks) && l.chunks[i].Data.End <= sp.edge; i++ {
			if c := &l.chunks[i]; c.InOrder == 0 {
				c.InOrder = now
				buf = append(buf, c)
			}
		}
		l.nextOrder = i
	}
	return buf
}

// Settle calls f for each chunk whose life is over, in the order of each lane,
// and forgets it soon after. With all set, every chunk is settled.
func (sp *Space) Settle(all bool, f func(*Lane, *Chunk)) {
	for _, l := range sp.lanes {
		over := len(l.chunks)-l.head > maxChunks
		for l.settled < len(l.chunks) {
			c := &l.chunks[l.settled]
			done := c.DataAcked != 0 && c.Acked != 0 && c.InOrder != 0
			if !done && !all && !over {
				break
			}
			f(l, c)
			l.settled++
			over = false
		}
		l.head = max(l.head, l.settled-keepSettled)
		if l.elsewhere.Len() > 0 && l.head < len(l.chunks) {
			l.elsewhere.DropBelow(l.chunks[l.head].Data.Start)
		}
		l.nextAcked = max(l.nextAcked, l.head)
		l.nextOrder = max(l.nextOrder, l.head)
	}
}

// Base returns the absolute number of position 0, whether its upper half is
// known, and whether it is known at all.
func (sp *Space) Base() (base uint64, wide, known bool) { return sp.base, sp.wide, sp.known }

// SeenAbove returns how many octets at or above p were seen.
func (sp *Space) SeenAbove(p seq.DSN) (n int64) {
	r := sp.seen.Ranges()
	for i := len(r) - 1; i >= 0 && r[i].End > p; i-- {
		n += int64(r[i].End - max(r[i].Start, p))
	}
	return n
}
