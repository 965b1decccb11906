package tcptrace

import (
	"cmp"
	"slices"

	"mpanalyze/internal/seq"
)

// segment is a range of sequence numbers that was sent: by one packet, or by several
// that are acknowledged and adjacent.
type segment struct {
	first, last seq.Wire // both are in it; first <= last
	sent        int64    // time of its latest transmission, us
	resent      int32    // how often it was sent again
	acked       int32    // 0: not acknowledged; n: and by n-1 duplicate ACKs
}

// size returns the bytes of the segment.
func (p *segment) size() int64 { return int64(p.last-p.first) + 1 }

// quadrant is a quarter of the sequence space, as in tcptrace. A packet across the border of two
// quadrants is two segments. An ACK affects its quadrant and the quadrant before. tcptrace
// clears the quadrant opposite to the current one, so that sequence numbers may wrap.
type quadrant []segment

// maxSegments bounds a quadrant. If the capture has no ACKs, a quadrant grows by a segment for
// every packet. If it has more segments than this, the lower half becomes one segment that
// counts as acknowledged.
const maxSegments = 1 << 14

// seqSpace holds what one direction has sent.
type seqSpace struct {
	quadrants [4]quadrant
	current   uint8 // the quadrant used last; valid with begun
	begun     bool
}

// at returns the quadrant of n and its neighbours. If this quadrant is not the current one, it
// becomes the current one, and the opposite quadrant is cleared.
func (s *seqSpace) at(n seq.Wire) (before, here, after *quadrant) {
	q := uint8(n >> 30)
	if s.current != q || !s.begun {
		s.quadrants[(q+2)&3] = s.quadrants[(q+2)&3][:0]
		s.current, s.begun = q, true
	}
	return &s.quadrants[(q+3)&3], &s.quadrants[q], &s.quadrants[(q+1)&3]
}

// shrink gives memory back. What is acknowledged is one segment of its quadrant, so that
// a connection that was closed keeps what later packets need. A space with more segments
// than that is cleared.
func (s *seqSpace) shrink() {
	n := 0
	for _, q := range s.quadrants {
		n += len(q)
	}
	if n > len(s.quadrants) {
		*s = seqSpace{}
		return
	}
	for i, q := range s.quadrants {
		s.quadrants[i] = slices.Clip(slices.Clone(q))
	}
}

// transmission is what add found out about a packet.
type transmission struct {
	resentBytes int64 // bytes sent before
	outOfOrder  bool  // a segment that was sent before lies above it
}

// add adds n numbers from first on; n must be greater than 0. In each quadrant it calls resent
// with the first segment that is sent again.
func (s *seqSpace) add(first seq.Wire, n uint32, now int64, resent func(*segment)) (out transmission) {
	_, here, after := s.at(first)
	last := first + seq.Wire(n-1)
	if border := first | (1<<30 - 1); first>>30 != last>>30 {
		here.add(first, border, now, resent, &out)
		after.add(border+1, last, now, resent, &out)
		return out
	}
	here.add(first, last, now, resent, &out)
	return out
}

// add adds the numbers from first to last, which must be in the quadrant.
func (q *quadrant) add(first, last seq.Wire, now int64, resent func(*segment), out *transmission) {
	i := len(*q)
	if i > 0 && first <= (*q)[i-1].last {
		i, _ = slices.BinarySearchFunc(*q, first, func(p segment, first seq.Wire) int { return cmp.Compare(p.last, first) })
	}
	split := false
	for ; i < len(*q); i++ {
		p := &(*q)[i]
		if first < p.first {
			if last < p.last {
				out.outOfOrder = true
			}
			*q = slices.Insert(*q, i, segment{first: first, last: min(last, p.first-1), sent: now})
			i++
			p = &(*q)[i]
			if last < p.first {
				q.bound()
				return
			}
			first = p.first
		}
		p.resent++
		if !split { // tcptrace leaves the segments after the first as they are
			resent(p)
			p.sent = now
		}
		out.resentBytes += int64(min(last, p.last)-first) + 1
		if last <= p.last {
			q.bound()
			return
		}
		split, first = true, p.last+1
	}
	*q = append(*q, segment{first: first, last: last, sent: now})
	q.bound()
}

// bound replaces the lower half by one segment if there are more than maxSegments.
func (q *quadrant) bound() {
	if len(*q) <= maxSegments {
		return
	}
	const half = maxSegments / 2
	low := (*q)[:half]
	one := segment{first: low[0].first, last: low[half-1].last, sent: low[half-1].sent, acked: 1}
	*q = slices.Replace(*q, 0, half, one)
}

// collapse joins acknowledged and adjacent segments at the lower end into one segment.
func (q *quadrant) collapse() {
	list := *q
	if len(list) == 0 {
		return
	}
	n := 0
	i := 1
	for ; i < len(list) && list[n].acked > 0; i++ {
		p, next := &list[n], &list[i]
		if next.acked > 0 && p.last+1 == next.first {
			p.last, p.acked, p.sent = next.last, next.acked, max(p.sent, next.sent)
			continue
		}
		n++
		list[n] = *next
	}
	if i > n+1 {
		*q = list[:n+1+copy(list[n+1:], list[i:])]
	}
}
