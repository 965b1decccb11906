package seq

// Grow is [Set.Add] where the positions of r that are new are one run: at the
// upper end of a range, or above all. It returns that run, which is empty if r
// was covered. Where ok is false it has changed nothing.
func (s *Set[T]) Grow(r Range[T]) (fresh Range[T], ok bool) {
	i := s.hint
	if uint(i) >= uint(len(s.ranges)) || r.Start < s.ranges[i].Start || r.Start > s.ranges[i].End {
		if i = s.last(r.Start); i >= 0 {
			s.hint = i
		}
	}
	if i >= 0 && r.Start <= s.ranges[i].End {
		x := &s.ranges[i]
		if r.End <= x.End {
			return Range[T]{r.Start, r.Start}, true
		}
		if i+1 < len(s.ranges) && s.ranges[i+1].Start <= r.End {
			return fresh, false
		}
		fresh = Range[T]{x.End, r.End}
		x.End = r.End
		return fresh, true
	}
	if i+1 < len(s.ranges) || r.Empty() {
		return fresh, false
	}
	s.ranges = append(s.ranges, r)
	return r, true
}

// Lengthen is Grow for r where exactly the positions from p on, one at least, are
// new, and the rest lies in the range that grew last. At any other it does
// nothing and returns false.
func (s *Set[T]) Lengthen(r Range[T], p T) bool {
	i, ranges := s.hint, s.ranges
	if uint(i) >= uint(len(ranges)) {
		return false
	}
	x := &ranges[i]
	if p != x.End || r.Start < x.Start || r.Start > p || i+1 < len(ranges) && ranges[i+1].Start <= r.End {
		return false
	}
	x.End = r.End
	return true
}

// Extend lengthens the i-th range by r, where r begins at its end and meets no
// other, so that all of r is new; otherwise it does nothing. Whoever adds to
// one place of the set again and again remembers i and saves the search; i may
// be any number.
func (s *Set[T]) Extend(i int, r Range[T]) bool {
	ranges := s.ranges
	if uint(i) >= uint(len(ranges)) || ranges[i].End != r.Start || i+1 < len(ranges) && r.End >= ranges[i+1].Start {
		return false
	}
	ranges[i].End = r.End
	return true
}

// Find returns the index of the last range that starts at or before p, -1 if
// none does.
func (s *Set[T]) Find(p T) int { return s.last(p) }
