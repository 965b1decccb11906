package tcptrace

import (
	"cmp"
	"slices"

	"mpanalyze/internal/seq"
)

// piece is a run of sequence numbers that was sent: what one packet carried,
// or several that were acknowledged and lie side by side.
type piece struct {
	first, last seq.Wire // both are in it; first <= last
	sent        int64    // time of its latest transmission, us
	again       int32    // times that it was sent again
	acked       int32    // 0 = not yet; n = n-1 duplicate ACKs stand at its end
}

// size returns the bytes of the piece.
func (p *piece) size() int64 { return int64(p.last-p.first) + 1 }

// quarter is how tcptrace cuts the sequence space: a packet across the border
// of two quarters is two pieces, and an ACK looks at its own quarter and the
// one before. The quarter opposite to the current one is forgotten, so that
// numbers may wrap.
type quarter []piece

// maxPieces bounds a quarter. Without acknowledgments in the capture it would
// grow by a piece for every packet; past the bound the lower half becomes one
// piece that counts as acknowledged.
const maxPieces = 1 << 14

// space holds what one direction has sent.
type space struct {
	quarters [4]quarter
	current  uint8 // the quarter used last, plus one; 0 = none yet
}

// at returns the quarter of n and its neighbours, after forgetting the
// opposite one where the quarter is newly entered.
func (s *space) at(n seq.Wire) (before, here, after *quarter) {
	q := uint8(n >> 30)
	if s.current != q+1 {
		s.quarters[(q+2)&3] = s.quarters[(q+2)&3][:0]
		s.current = q + 1
	}
	return &s.quarters[(q+3)&3], &s.quarters[q], &s.quarters[(q+1)&3]
}

// sent is what a transmission turned out to be.
type sent struct {
	again      int64 // bytes sent before
	outOfOrder bool  // it ends below what was sent before, and begins below it too
}

// add enters n bytes from first on, n > 0, and tells resent of each piece
// that the transmission begins in.
func (s *space) add(first seq.Wire, n uint32, now int64, resent func(*piece)) (out sent) {
	_, here, after := s.at(first)
	last := first + seq.Wire(n-1)
	if border := first | 1<<30 - 1; first>>30 != last>>30 {
		here.add(first, border, now, resent, &out)
		after.add(border+1, last, now, resent, &out)
		return out
	}
	here.add(first, last, now, resent, &out)
	return out
}

func (q *quarter) add(first, last seq.Wire, now int64, resent func(*piece), out *sent) {
	i := len(*q)
	if i > 0 && first <= (*q)[i-1].last {
		i, _ = slices.BinarySearchFunc(*q, first, func(p piece, first seq.Wire) int { return cmp.Compare(p.last, first) })
	}
	split := false
	for ; i < len(*q); i++ {
		p := &(*q)[i]
		if first < p.first {
			if last < p.last {
				out.outOfOrder = true
			}
			*q = slices.Insert(*q, i, piece{first: first, last: min(last, p.first-1), sent: now})
			i++
			p = &(*q)[i]
			if last < p.first {
				q.bound()
				return
			}
			first = p.first
		}
		p.again++
		if !split { // tcptrace leaves the pieces after the first alone
			resent(p)
			p.sent = now
		}
		out.again += int64(min(last, p.last)-first) + 1
		if last <= p.last {
			q.bound()
			return
		}
		split, first = true, p.last+1
	}
	*q = append(*q, piece{first: first, last: last, sent: now})
	q.bound()
}

// bound keeps the quarter from growing beyond maxPieces.
func (q *quarter) bound() {
	if len(*q) <= maxPieces {
		return
	}
	const half = maxPieces / 2
	low := (*q)[:half]
	one := piece{first: low[0].first, last: low[half-1].last, sent: low[half-1].sent, acked: 1}
	*q = slices.Replace(*q, 0, half, one)
}

// join makes one piece of those at the lower end that are acknowledged and lie
// side by side.
func (q *quarter) join() {
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
