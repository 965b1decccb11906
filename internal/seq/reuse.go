package seq

// maxReused bounds the capacity of a list whose memory is reused. Connections of few
// packets need no more.
const maxReused = 64

// Reuse returns an empty list, in the memory of list if that is small. The caller must
// not use list any more.
func Reuse[T any](list []T) []T {
	if cap(list) > maxReused {
		return nil
	}
	clear(list)
	return list[:0]
}

// Reuse returns an empty set in the memory of s if that is small. The caller must not
// use s any more.
func (s *Set[T]) Reuse() Set[T] { return Set[T]{list: s.list.Reuse()} }
