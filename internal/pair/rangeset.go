package pair

import "mpanalyze/internal/seq"

// rangeSet is a set of positions. Nearly all positions come in order, so the
// latest range grows outside the set and enters the set only when another range
// begins.
type rangeSet[P seq.SSN | seq.DSN] struct {
	latest seq.Range[P]
	set    seq.Set[P] // bounded by maxRanges
}

// maxRanges bounds the ranges of a set. At the bound the oldest are forgotten.
const maxRanges = 1 << 12

func (s *rangeSet[P]) add(r seq.Range[P]) {
	if r.Start != s.latest.End {
		s.flush()
		s.latest.Start = r.Start
	}
	s.latest.End = r.End
}

// flush enters the latest range into the set.
func (s *rangeSet[P]) flush() {
	s.set.Add(s.latest)
	if s.set.Len() > maxRanges {
		s.set.DropOldest(maxRanges / 2)
	}
}

func (s *rangeSet[P]) covers(r seq.Range[P]) bool {
	s.flush()
	return s.set.Covers(r)
}

func (s *rangeSet[P]) disjoint(r seq.Range[P]) bool {
	s.flush()
	return s.set.Disjoint(r)
}

// missing calls f for each part of r that is not in the set.
func (s *rangeSet[P]) missing(r seq.Range[P], f func(seq.Range[P])) {
	s.flush()
	s.set.Missing(r, func(part seq.Range[P]) bool {
		f(part)
		return true
	})
}
