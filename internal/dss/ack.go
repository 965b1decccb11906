package dss

import (
	"math"

	"mpanalyze/internal/seq"
)

// floor returns the position below which everything was DATA_ACKed.
func (sp *Space) floor() seq.DSN {
	if !sp.acked {
		return math.MinInt64 / 2 // below any position, and safe to subtract from
	}
	return sp.ack
}

// DataAck takes a DATA_ACK up to position p at time now, and returns the
// chunks that it covers for the first time; they are valid until the next
// packet.
func (sp *Space) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	sp.covered = sp.covered[:0]
	if sp.acked && p <= sp.ack {
		return false, nil
	}
	passed := seq.Range[seq.DSN]{Start: sp.floor(), End: p}
	sp.WaitingBytes -= sp.seen.Overlap(passed)
	sp.AckedBytes -= sp.held.Overlap(passed)
	sp.held.DropBelow(p)
	sp.ack, sp.acked = p, true
	for _, l := range sp.lanes {
		sp.cover(l, now)
	}
	sp.accepted(sp.dataEnd(p), now)
	return true, sp.covered
}

// cover marks the chunks of l that the DATA_ACK covers.
func (sp *Space) cover(l *Lane, now int64) {
	i := l.nextAcked
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= sp.ack; i++ {
		c := &l.chunks[i]
		if c.DataAcked != 0 {
			continue
		}
		c.DataAcked = now
		sp.leave(c)
		sp.covered = append(sp.covered, c)
	}
	l.nextAcked = i
}

// leave counts c out of the segments that wait for a DATA_ACK.
func (sp *Space) leave(c *Chunk) {
	sp.WaitingUnits -= int64(c.Units)
	if c.Acked != 0 {
		sp.AckedUnits -= int64(c.Units)
	}
}

// accepted notes that the receiver has all data below p. What of it was not
// captured delays nothing any more: the chunks that waited for it are in
// order, but since when is not known.
func (sp *Space) accepted(p seq.DSN, now int64) {
	if p > sp.nxt {
		sp.AckedUnseen += int64(p - sp.nxt)
		sp.nxt = p
	}
	if p <= sp.edge {
		return
	}
	sp.edge = sp.seen.FirstGap(p)
	for _, l := range sp.lanes {
		sp.order(l, func(c *Chunk) { c.InOrder = now })
	}
}

// dataEnd returns p less the DATA_FIN that it may acknowledge.
func (sp *Space) dataEnd(p seq.DSN) seq.DSN {
	if sp.finSeen && p > sp.fin {
		return sp.fin
	}
	return p
}

// Acked notes that positions r of lane l were acknowledged or SACKed on their
// subflow at time now.
func (sp *Space) Acked(l *Lane, r seq.Range[seq.SSN], now int64) {
	for i := l.maps.find(r.Start); i < len(l.maps.list) && l.maps.list[i].SSN.Start < r.End; i++ {
		m := &l.maps.list[i]
		data := m.data(m.SSN.Intersect(r))
		if above := (seq.Range[seq.DSN]{Start: max(data.Start, sp.floor()), End: data.End}); !above.Empty() {
			sp.AckedBytes += sp.held.Add(above)
			if sp.held.DropOldest(maxSeen) {
				sp.AckedBytes = sp.held.Size()
			}
		}
		kind := bySACK
		if r.Start <= l.una {
			kind = byAck
		}
		sp.mark(l, data, now, kind)
		if l.ReinjectedBytes > 0 {
			for _, other := range sp.lanes {
				if other != l {
					sp.mark(other, data, now, byCopy)
				}
			}
		}
	}
}

// mark sets the acknowledgment of the chunks of l whose last octet lies in r.
func (sp *Space) mark(l *Lane, r seq.Range[seq.DSN], now int64, kind hint) {
	i := l.hints[kind]
	if i < l.head || i >= len(l.chunks) || l.chunks[i].Data.End <= r.Start || i > l.head && l.chunks[i-1].Data.End > r.Start {
		i = l.search(r.Start)
	}
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= r.End; i++ {
		c := &l.chunks[i]
		if c.Acked != 0 {
			continue
		}
		c.Acked = now
		if kind == byCopy {
			sp.CopyFirst += c.Data.Len()
		} else if c.copied {
			sp.OriginalFirst += c.Data.Len()
		}
		if c.DataAcked == 0 {
			sp.AckedUnits += int64(c.Units)
		}
	}
	l.hints[kind] = i
}

// InOrder appends to buf the chunks below which everything has been seen for
// the first time at time now.
func (sp *Space) InOrder(now int64, buf []*Chunk) []*Chunk {
	if !sp.moved {
		return buf
	}
	sp.moved = false
	for _, l := range sp.lanes {
		sp.order(l, func(c *Chunk) {
			c.InOrder = now
			buf = append(buf, c)
		})
	}
	return buf
}

// order calls f for the chunks of l that have come in order since the last
// call.
func (sp *Space) order(l *Lane, f func(*Chunk)) {
	i := l.nextOrder
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= sp.edge; i++ {
		if l.chunks[i].InOrder == 0 {
			f(&l.chunks[i])
		}
	}
	l.nextOrder = i
}

// Crowded reports whether more chunks wait for the end of their lives than are
// kept: [Space.Settle] then ends the oldest.
func (sp *Space) Crowded() bool { return sp.crowded }

// Settle forgets each chunk whose life is over, in the order of each lane, and
// calls f with it unless that is nil. With all set, every chunk is settled.
// Chunks handed out for the same packet stay valid until the next.
func (sp *Space) Settle(all bool, f func(*Lane, *Chunk)) {
	sp.crowded = false
	for _, l := range sp.lanes {
		for ; l.head < len(l.chunks); l.head++ {
			c := &l.chunks[l.head]
			if !l.over(c) && !all && l.crowd() <= 0 {
				break
			}
			if c.DataAcked == 0 { // no DATA_ACK finds it any more
				sp.leave(c)
				c.Units = 0
			}
			l.retire(c)
			if f != nil {
				f(l, c)
			}
		}
		l.nextAcked = max(l.nextAcked, l.head)
		l.nextOrder = max(l.nextOrder, l.head)
	}
}

// over reports whether nothing more can be learnt of c. Its subflow's
// acknowledgment may have passed before a mapping told what it carried.
func (l *Lane) over(c *Chunk) bool {
	acked := c.Acked != 0 || c.SSN+seq.SSN(c.Data.Len()) <= l.una
	return acked && c.DataAcked != 0 && c.InOrder != 0
}

// SeenAbove returns how many octets at or above p were seen.
func (sp *Space) SeenAbove(p seq.DSN) (n int64) {
	r := sp.seen.Ranges()
	for i := len(r) - 1; i >= 0 && r[i].End > p; i-- {
		n += int64(r[i].End - max(r[i].Start, p))
	}
	return n
}
