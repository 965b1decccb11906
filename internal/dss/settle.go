package dss

import "mpanalyze/internal/seq"

// Moved reports whether [Space.InOrder] may have something to tell.
func (sp *Space) Moved() bool { return sp.moved != 0 }

// InOrder adds to f the chunks below which everything has been seen for the first
// time at time now, when lane l has carried the payload of a packet; they are
// valid until the next packet.
func (sp *Space) InOrder(l *Lane, now int64, f *Found) {
	in := f.InOrder
	if sp.moved == byOne {
		in = l.order(sp.edge, now, in)
	} else if sp.moved == byAll {
		for _, l := range sp.lanes {
			in = l.order(sp.edge, now, in)
		}
	}
	f.InOrder, sp.moved = in, 0
}

// order notes of the chunks below edge that they are in order, and appends them
// to buf.
func (l *Lane) order(edge seq.DSN, now int64, buf []*Chunk) []*Chunk {
	i, chunks := l.nextOrder, l.chunks
	for ; i < len(chunks) && chunks[i].Data.End <= edge; i++ {
		if c := &chunks[i]; c.InOrder == 0 {
			c.InOrder = now
			buf = append(buf, c)
		}
	}
	l.nextOrder = i
	return buf
}

// Forget notes that the subflow of lane l acknowledged everything below una,
// and drops the mappings that lie far behind.
func (sp *Space) Forget(l *Lane, una seq.SSN) {
	l.una = una
	if sp.isDue(l) { // chunks that may have lacked the subflow's acknowledgment
		sp.ended = true
	}
	l.maps.dropBelow(una - keepBehind)
}

// PutOff lets chunks wait whose lives are over, up to a few on each lane or to an
// eighth of those that it has room for: for where nobody is told of them.
func (sp *Space) PutOff() { sp.patience = 31 }

// isDue reports whether more chunks of l are DATA_ACKed than may wait for Settle.
func (sp *Space) isDue(l *Lane) bool {
	n := l.nextAcked - l.head
	return n > sp.patience && (sp.patience == 0 || n > cap(l.chunks)/8)
}

// Ended reports whether [Space.Settle] may have something to do: the life of
// some chunk is over, or more wait for their end than are kept.
func (sp *Space) Ended() bool { return sp.ended }

// Settle forgets the chunks whose lives are over, in the order of each lane, and
// calls f with them unless that is nil, those at once that continue each other's data. Where more are left than are kept, it
// ends the lives of the oldest; with all set, of every chunk. Chunks handed out
// for the same packet stay valid until the next.
func (sp *Space) Settle(all bool, f func(*Lane, []Chunk)) {
	sp.ended = false
	for _, l := range sp.lanes {
		sp.settle(l, all, f)
	}
}

// settle is Settle for one lane.
func (sp *Space) settle(l *Lane, all bool, f func(*Lane, []Chunk)) {
	i := l.head
	for i < len(l.chunks) {
		n := l.over(i)
		if n == 0 {
			if !all && len(l.chunks)-i <= maxChunks {
				break
			}
			sp.giveUp(&l.chunks[i])
			n = 1
		}
		run := l.chunks[i : i+n]
		l.retire(seq.Range[seq.DSN]{Start: run[0].Data.Start, End: run[n-1].Data.End})
		if f != nil {
			f(l, run)
		}
		i += n
	}
	l.head, l.nextAcked, l.nextOrder = i, max(l.nextAcked, i), max(l.nextOrder, i)
}

// over returns how many chunks from the i-th on continue each other's data, of
// which nothing more can be learnt: they are in order, DATA_ACKed, and
// acknowledged on the subflow. That may have passed before a mapping told what it
// acknowledged.
func (l *Lane) over(i int) (n int) {
	chunks := l.chunks[i:max(i, min(l.nextAcked, l.nextOrder))]
	for n < len(chunks) {
		c := &chunks[n]
		if n > 0 && c.Data.Start != chunks[n-1].Data.End || c.Acked == 0 && c.SSN+seq.SSN(c.Data.Len()) > l.una {
			break
		}
		n++
	}
	return n
}

// giveUp counts c, whose life is not over, out of the segments that wait for a
// DATA_ACK: none finds it any more.
func (sp *Space) giveUp(c *Chunk) {
	if c.DataAcked != 0 {
		return
	}
	sp.WaitingUnits -= int64(c.Units)
	if c.Acked != 0 {
		sp.AckedUnits -= int64(c.Units)
	}
	c.Units = 0
}

// SeenAbove returns how many octets at or above p were seen.
func (sp *Space) SeenAbove(p seq.DSN) int64 { return sp.seen.SizeAbove(p) }
