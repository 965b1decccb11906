package symptoms

// thinned keeps values of a series, evenly spaced, of which there are at most limit: at the
// limit it drops every second one, and keeps half as many of those that follow.
type thinned[T any] struct {
	kept  []T
	every int64 // one of so many is kept; 0 before the first
	skip  int64 // so many are left out until the next is kept
}

// add takes the next value, and returns its place; -1 where it is not kept. limit is even.
func (s *thinned[T]) add(x T, limit int) int {
	if s.skip > 0 {
		s.skip--
		return -1
	}
	s.every = max(1, s.every)
	if len(s.kept) >= limit {
		s.halve()
	}
	s.skip = s.every - 1
	s.kept = append(s.kept, x)
	return len(s.kept) - 1
}

// halve drops every second value.
func (s *thinned[T]) halve() {
	n := 0
	for i := 0; i < len(s.kept); i += 2 {
		s.kept[n] = s.kept[i]
		n++
	}
	s.kept, s.every = s.kept[:n], 2*s.every
}
