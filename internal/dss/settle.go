package dss

import "mpanalyze/internal/seq"

// InOrderDue reports whether [Space.InOrder] may have something to tell.
func (sp *Space) InOrderDue() bool { return sp.moved != 0 }

// InOrder adds to f the chunks below which everything has been seen for the first
// time at time now, when lane l has carried the payload of a packet; they are
// valid until the next packet.
func (sp *Space) InOrder(l *SubflowSpace, now int64, f *Result) {
	in := f.InOrder
	if sp.moved == byOne {
		in = l.order(sp.edge, now, in)
	} else if sp.moved == byAll {
		for _, l := range sp.working {
			in = l.order(sp.edge, now, in)
		}
	}
	f.InOrder, sp.moved = in, 0
}

// order notes of the chunks below edge that they are in order, and appends them
// to buf.
func (l *SubflowSpace) order(edge seq.DSN, now int64, buf []*Chunk) []*Chunk {
	for run := l.chunks.Slice(l.nextOrder); len(run) > 0; run = l.chunks.Slice(l.nextOrder) {
		n := 0
		for ; n < len(run) && run[n].Data.End <= edge; n++ {
			if c := &run[n]; c.InOrder == 0 {
				c.InOrder = now
				buf = append(buf, c)
			}
		}
		if n == 0 {
			return buf
		}
		l.nextOrder = l.chunks.Skip(l.nextOrder, n)
		if n < len(run) {
			return buf
		}
	}
	return buf
}

// SubflowUna notes that the subflow of lane l acknowledged everything below una,
// and drops the mappings that lie far behind.
func (sp *Space) SubflowUna(l *SubflowSpace, una seq.SSN) {
	l.una = una
	if sp.isDue(l) { // chunks that may have lacked the subflow's acknowledgment
		sp.ended = true
	}
	l.maps.dropBelow(una - keepBehind)
}

// SettleLazily lets chunks wait whose lives are over, up to a few on each lane or to an
// eighth of all: for where nobody is told of them.
func (sp *Space) SettleLazily() { sp.patience = 31 }

// isDue reports whether more chunks of l are DATA_ACKed than may wait for Settle.
func (sp *Space) isDue(l *SubflowSpace) bool {
	return l.covered > sp.patience && (sp.patience == 0 || l.covered > l.chunks.Len()/8)
}

// SettleDue reports whether [Space.Settle] may have something to do: the life of
// some chunk is over, or more wait for their end than are kept.
func (sp *Space) SettleDue() bool { return sp.ended }

// Settle forgets the chunks whose lives are over, in the order of each lane, and
// calls f with them unless that is nil: with several at once that continue each
// other's data. Where more are left than are kept, it ends the lives of the oldest;
// with all set, of every chunk. Chunks handed out for the same packet stay valid
// until the next.
func (sp *Space) Settle(all bool, f func(*SubflowSpace, []Chunk)) {
	sp.ended = false
	for _, l := range sp.lanes {
		sp.settle(l, all, f)
	}
}

// settle is Settle for one lane.
func (sp *Space) settle(l *SubflowSpace, all bool, f func(*SubflowSpace, []Chunk)) {
	for {
		run := l.settled()
		if len(run) == 0 {
			if !all && l.crowd() <= 0 || l.chunks.Len() == 0 {
				return
			}
			run = l.chunks.FirstSlice()[:1]
			sp.giveUp(&run[0])
		}
		l.retire(seq.Range[seq.DSN]{Start: run[0].Data.Start, End: run[len(run)-1].Data.End})
		if f != nil {
			f(l, run)
		}
		l.pop(len(run))
	}
}

// settled returns the first chunks that continue each other's data and of which
// nothing more can be learnt: they are in order, DATA_ACKed, and acknowledged on
// the subflow. That may have passed before a mapping told what it acknowledged.
// They stand on one page of the list.
func (l *SubflowSpace) settled() []Chunk {
	chunks := l.chunks.FirstSlice()
	chunks = chunks[:min(len(chunks), int(min(l.nextAcked, l.nextOrder)-l.chunks.First()))]
	for n := range chunks {
		c := &chunks[n]
		if n > 0 && c.Data.Start != chunks[n-1].Data.End || c.Acked == 0 && c.SSN+seq.SSN(c.Data.Len()) > l.una {
			return chunks[:n]
		}
	}
	return chunks
}

// pop forgets the first n chunks.
func (l *SubflowSpace) pop(n int) {
	l.chunks.Pop(n)
	first := l.chunks.First()
	l.nextAcked, l.nextOrder = max(l.nextAcked, first), max(l.nextOrder, first)
	l.covered = max(0, l.covered-n)
}

// giveUp counts c, whose life is not over, out of the segments that wait for a
// DATA_ACK: none finds it any more.
func (sp *Space) giveUp(c *Chunk) {
	if c.DataAcked != 0 {
		return
	}
	sp.OutstandingSegments -= int64(c.Segments)
	if c.Acked != 0 {
		sp.SubflowAckedSegments -= int64(c.Segments)
	}
	c.Segments = 0
}

// BytesAbove returns how many octets at or above p were seen.
func (sp *Space) BytesAbove(p seq.DSN) int64 { return sp.seen.SizeAbove(p) }
