package dss

import "mpanalyze/internal/seq"

// InOrder appends to buf the chunks below which everything has been seen for
// the first time at time now.
func (sp *Space) InOrder(now int64, buf []*Chunk) []*Chunk {
	if !sp.moved {
		return buf
	}
	sp.moved = false
	for _, l := range sp.lanes {
		buf = sp.order(l, now, buf)
	}
	return buf
}

// order notes of the chunks of l that are in order now that they are, and
// appends them to buf.
func (sp *Space) order(l *Lane, now int64, buf []*Chunk) []*Chunk {
	i := l.nextOrder
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= sp.edge; i++ {
		if c := &l.chunks[i]; c.InOrder == 0 {
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
	if l.nextAcked > l.head { // the chunks below lack the subflow's acknowledgment
		sp.ended = true
	}
	l.maps.dropBelow(una - keepBehind)
}

// Ended reports whether [Space.Settle] may have something to do: the life of
// some chunk is over, or more wait for their end than are kept.
func (sp *Space) Ended() bool { return sp.ended }

// Settle forgets each chunk whose life is over, in the order of each lane, and
// calls f with it unless that is nil. Where more are left than are kept, it
// ends the lives of the oldest; with all set, of every chunk. Chunks handed out
// for the same packet stay valid until the next.
func (sp *Space) Settle(all bool, f func(*Lane, *Chunk)) {
	sp.ended = false
	for _, l := range sp.lanes {
		sp.settle(l, all, f)
	}
}

// settle is Settle for one lane.
func (sp *Space) settle(l *Lane, all bool, f func(*Lane, *Chunk)) {
	var run seq.Range[seq.DSN] // of chunks that continue each other
	i := l.head
	for ; i < len(l.chunks); i++ {
		c := &l.chunks[i]
		if !l.over(c) && !all && len(l.chunks)-i <= maxChunks {
			break
		}
		if c.DataAcked == 0 { // no DATA_ACK finds it any more
			sp.leave(c)
			c.Units = 0
		}
		if c.Data.Start != run.End {
			l.retire(run)
			run.Start = c.Data.Start
		}
		run.End = c.Data.End
		if f != nil {
			f(l, c)
		}
	}
	if i > l.head {
		l.retire(run)
		l.head, l.nextAcked, l.nextOrder = i, max(l.nextAcked, i), max(l.nextOrder, i)
	}
}

// over reports whether nothing more can be learnt of c. Its subflow's
// acknowledgment may have passed before a mapping told what it carried.
func (l *Lane) over(c *Chunk) bool {
	acked := c.Acked != 0 || c.SSN+seq.SSN(c.Data.Len()) <= l.una
	return c.DataAcked != 0 && c.InOrder != 0 && acked
}

// SeenAbove returns how many octets at or above p were seen.
func (sp *Space) SeenAbove(p seq.DSN) (n int64) {
	r := sp.seen.Ranges()
	for i := len(r) - 1; i >= 0 && r[i].End > p; i-- {
		n += int64(r[i].End - max(r[i].Start, p))
	}
	return n
}
