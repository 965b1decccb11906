package seq

import "slices"

// Set is a set of positions kept as sorted, disjoint, non-adjacent ranges.
// The zero value is empty and ready to use.
//
// Streams arrive almost in order, so nearly every operation touches the last
// range: the scan runs from the newest end, which beats a binary search and
// any tree on such input.
//
// A Set grows with the number of holes in the stream, not with its length;
// [Set.DropOldest] bounds it.
type Set[T Position] struct {
	ranges []Range[T]
	hint   int // what the latest search between the two ends found; checked before use
}

// Ranges returns the ranges in ascending order. The slice belongs to the set
// and is valid until the next change.
func (s *Set[T]) Ranges() []Range[T] { return s.ranges }

// Len returns the number of ranges, not of positions.
func (s *Set[T]) Len() int { return len(s.ranges) }

// Size returns the number of positions in the set.
func (s *Set[T]) Size() (n int64) {
	for _, r := range s.ranges {
		n += r.Len()
	}
	return n
}

// last returns the index of the last range that starts at or before p, or -1.
// Most questions are about the newest range, or the oldest one, where
// acknowledgments are at work.
func (s *Set[T]) last(p T) int {
	n := len(s.ranges)
	if n == 0 || p < s.ranges[0].Start {
		return -1
	}
	if s.ranges[n-1].Start <= p {
		return n - 1
	}
	if p < s.ranges[1].Start { // there are two at least: the first starts at or before p, the last does not
		return 0
	}
	// A path that is behind the others goes on where it was.
	if i := s.hint; i < n-1 && s.ranges[i].Start <= p && p < s.ranges[i+1].Start {
		return i
	}
	s.hint = s.scan(p)
	return s.hint
}

// scan is last for a position between the first range and the last.
func (s *Set[T]) scan(p T) int {
	i := len(s.ranges) - 2
	for n := 0; s.ranges[i].Start > p; i-- {
		if n++; n > 16 { // far from the newest end: a retransmission in a set of many holes
			lo, hi := 0, i
			for lo < hi {
				mid := int(uint(lo+hi) >> 1)
				if s.ranges[mid].Start > p {
					hi = mid
				} else {
					lo = mid + 1
				}
			}
			return lo - 1
		}
	}
	return i
}

// Contains reports whether p is in the set.
func (s *Set[T]) Contains(p T) bool {
	i := s.last(p)
	return i >= 0 && p < s.ranges[i].End
}

// Covers reports whether every position of r is in the set.
func (s *Set[T]) Covers(r Range[T]) bool {
	i := s.last(r.Start)
	return r.Empty() || i >= 0 && r.End <= s.ranges[i].End
}

// Add puts r into the set and returns how many of its positions are new.
func (s *Set[T]) Add(r Range[T]) (added int64) {
	if !r.Empty() {
		_, added = s.Put(r)
	}
	return added
}

// Put is [Set.Add] for r that is not empty, and returns the index of the range
// that holds it, too.
func (s *Set[T]) Put(r Range[T]) (at int, added int64) {
	n := len(s.ranges)
	if n == 0 || r.Start > s.ranges[n-1].End {
		s.ranges = append(s.ranges, r)
		return n, r.Len()
	}
	if last := &s.ranges[n-1]; r.Start >= last.Start {
		added = max(0, int64(r.End-last.End))
		last.End = max(last.End, r.End)
		return n - 1, added
	}
	return s.insert(r)
}

// insert is Put for ranges that do not merely extend the newest end.
func (s *Set[T]) insert(r Range[T]) (at int, added int64) {
	lo := s.last(r.Start)
	if lo >= 0 && r.Start <= s.ranges[lo].End && (lo+1 == len(s.ranges) || r.End < s.ranges[lo+1].Start) {
		// It extends one range and reaches no other: a path that is behind
		// the others fills its gap from below.
		added = max(0, int64(r.End-s.ranges[lo].End))
		s.ranges[lo].End = max(s.ranges[lo].End, r.End)
		return lo, added
	}
	if lo < 0 || s.ranges[lo].End < r.Start {
		lo++
	}
	hi, had := lo, int64(0)
	merged := r
	for hi < len(s.ranges) && s.ranges[hi].Start <= r.End {
		had += max(0, s.ranges[hi].Intersect(r).Len())
		merged.Start = min(merged.Start, s.ranges[hi].Start)
		merged.End = max(merged.End, s.ranges[hi].End)
		hi++
	}
	if lo == hi {
		s.ranges = slices.Insert(s.ranges, lo, merged)
	} else {
		s.ranges[lo] = merged
		s.ranges = append(s.ranges[:lo+1], s.ranges[hi:]...)
	}
	return lo, r.Len() - had
}

// Disjoint reports whether no position of r is in the set.
func (s *Set[T]) Disjoint(r Range[T]) bool {
	i := s.last(r.Start)
	return (i < 0 || s.ranges[i].End <= r.Start) && (i+1 == len(s.ranges) || s.ranges[i+1].Start >= r.End)
}

// Missing calls f for each part of r that is not in the set, in ascending
// order, until f returns false.
func (s *Set[T]) Missing(r Range[T], f func(Range[T]) bool) {
	i := max(0, s.last(r.Start))
	at := r.Start
	for ; i < len(s.ranges) && at < r.End; i++ {
		if s.ranges[i].End <= at {
			continue
		}
		if s.ranges[i].Start >= r.End {
			break
		}
		if s.ranges[i].Start > at && !f(Range[T]{at, s.ranges[i].Start}) {
			return
		}
		at = s.ranges[i].End
	}
	if at < r.End {
		f(Range[T]{at, r.End})
	}
}

// Common calls f for each part of r that is in the set, in ascending order.
func (s *Set[T]) Common(r Range[T], f func(Range[T])) {
	for i := max(0, s.last(r.Start)); i < len(s.ranges) && s.ranges[i].Start < r.End; i++ {
		if part := s.ranges[i].Intersect(r); !part.Empty() {
			f(part)
		}
	}
}

// Overlap returns how many positions of r are in the set.
func (s *Set[T]) Overlap(r Range[T]) (n int64) {
	for i := max(0, s.last(r.Start)); i < len(s.ranges) && s.ranges[i].Start < r.End; i++ {
		n += max(0, s.ranges[i].Intersect(r).Len())
	}
	return n
}

// Remove takes every position of r out of the set.
func (s *Set[T]) Remove(r Range[T]) {
	if r.Empty() {
		return
	}
	lo := max(0, s.last(r.Start))
	if lo < len(s.ranges) && s.ranges[lo].End <= r.Start {
		lo++
	}
	hi := lo
	for hi < len(s.ranges) && s.ranges[hi].Start < r.End {
		hi++
	}
	if lo == hi {
		return
	}
	var rest [2]Range[T] // what sticks out of r at either end
	n := 0
	if left := (Range[T]{s.ranges[lo].Start, r.Start}); !left.Empty() {
		rest[n] = left
		n++
	}
	if right := (Range[T]{r.End, s.ranges[hi-1].End}); !right.Empty() {
		rest[n] = right
		n++
	}
	s.ranges = slices.Replace(s.ranges, lo, hi, rest[:n]...)
}

// DropBelow takes every position below p out of the set, which is how a tracker
// forgets what has been acknowledged, and returns how many these were.
func (s *Set[T]) DropBelow(p T) (dropped int64) {
	i := 0
	for i < len(s.ranges) && s.ranges[i].End <= p {
		dropped += s.ranges[i].Len()
		i++
	}
	if i > 0 {
		s.ranges = append(s.ranges[:0], s.ranges[i:]...)
	}
	if len(s.ranges) > 0 && s.ranges[0].Start < p {
		dropped += int64(p - s.ranges[0].Start)
		s.ranges[0].Start = p
	}
	return dropped
}

// DropOldest keeps the newest n ranges and reports whether it dropped any.
func (s *Set[T]) DropOldest(n int) bool {
	n = max(0, n)
	if len(s.ranges) <= n {
		return false
	}
	s.ranges = slices.Delete(s.ranges, 0, len(s.ranges)-n)
	return true
}

// FirstGap returns the lowest position at or above p that is not in the set:
// the end of the in-order stream that begins at p.
func (s *Set[T]) FirstGap(p T) T {
	if i := s.last(p); i >= 0 && p < s.ranges[i].End {
		return s.ranges[i].End
	}
	return p
}

// Shift moves every position by delta.
func (s *Set[T]) Shift(delta T) {
	for i := range s.ranges {
		s.ranges[i].Start += delta
		s.ranges[i].End += delta
	}
}
