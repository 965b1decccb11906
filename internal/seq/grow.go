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

// Grown returns the index of the range that grew last or, where another was
// looked for since, of any; it may be that of none.
func (s *Set[T]) Grown() int { return s.hint }

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
