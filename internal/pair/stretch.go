package pair

import "mpanalyze/internal/seq"

// stretch is a set of positions of which nearly all come in order: the latest
// run grows by itself and enters the set when another one begins.
type stretch[P seq.SSN | seq.DSN] struct {
	last seq.Range[P]
	set  seq.Set[P] // bounded by maxHoles
}

// maxHoles bounds the runs of a stretch. At the bound the oldest are forgotten.
const maxHoles = 1 << 12

func (s *stretch[P]) add(r seq.Range[P]) {
	if r.Start != s.last.End {
		s.flush()
		s.last.Start = r.Start
	}
	s.last.End = r.End
}

func (s *stretch[P]) flush() {
	s.set.Add(s.last)
	if s.set.Len() > maxHoles {
		s.set.DropOldest(maxHoles / 2)
	}
}

func (s *stretch[P]) covers(r seq.Range[P]) bool {
	s.flush()
	return s.set.Covers(r)
}

// missing calls f for each part of r that is not in the set.
func (s *stretch[P]) missing(r seq.Range[P], f func(seq.Range[P])) {
	s.flush()
	s.set.Missing(r, func(part seq.Range[P]) bool {
		f(part)
		return true
	})
}

func (s *stretch[P]) disjoint(r seq.Range[P]) bool {
	s.flush()
	return s.set.Disjoint(r)
}
