package live

import (
	"slices"
)

// ranking keeps a limited number of values, those with the first ranks, in order.
type ranking[T any] struct {
	most int         // bounds the list
	list []ranked[T] // ascending
}

type ranked[T any] struct {
	rank  rank
	value T
}

// takes reports whether the ranking would keep a value of this rank.
func (l *ranking[T]) takes(r rank) bool {
	return len(l.list) < l.most || l.most > 0 && r.compare(l.list[len(l.list)-1].rank) < 0
}

// add adds a value that the ranking takes. If the ranking is full, it removes the last value
// and returns it, and ok is true.
func (l *ranking[T]) add(r rank, v T) (left T, of rank, ok bool) {
	if len(l.list) == l.most {
		e := l.pop()
		left, of, ok = e.value, e.rank, true
	}
	at, _ := slices.BinarySearchFunc(l.list, r, func(e ranked[T], r rank) int { return e.rank.compare(r) })
	l.list = slices.Insert(l.list, at, ranked[T]{r, v})
	return left, of, ok
}

// pop removes the last value and returns it.
func (l *ranking[T]) pop() ranked[T] {
	n := len(l.list) - 1
	e := l.list[n]
	l.list = slices.Delete(l.list, n, n+1)
	return e
}

// clear removes all values.
func (l *ranking[T]) clear() { l.list = slices.Delete(l.list, 0, len(l.list)) }
