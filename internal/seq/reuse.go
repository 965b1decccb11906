package seq

// maxReused is how many elements the memory of a list may hold that is used
// again: connections of few packets need no more.
const maxReused = 64

// Reuse returns list without its elements, in the same memory where that is
// little, which what list was must not be used with any more.
func Reuse[T any](list []T) []T {
	if cap(list) > maxReused {
		return nil
	}
	clear(list)
	return list[:0]
}

// Reuse returns an empty set in the memory of s, likewise.
func (s *Set[T]) Reuse() Set[T] { return Set[T]{list: s.list.Reuse()} }
