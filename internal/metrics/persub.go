package metrics

import (
	"iter"

	"mpanalyze/internal/seq"
)

// perSub is the state of a meter for each subflow, made when it is first needed. The zero
// value is empty. The state of the first subflow needs no allocation, because most
// connections have no other.
type perSub[T any] struct {
	first T
	made  bool // first is in use
	more  []*T // state of the others, by their ID minus 1; nil if there is none; bounded by the subflows that conn keeps
	spare []*T // reset states of an earlier connection; bounded by mostSpare
	none  *T   // the zero state, for subflows without one; it is never written to
}

// mostSpare bounds the states that the next connection can reuse.
const mostSpare = 8

// of returns the state of a subflow for writing; it makes the state if necessary.
func (l *perSub[T]) of(s *SubflowDir) *T { return l.numbered(s.id) }

// numbered does what of does, by the ID of the subflow.
func (l *perSub[T]) numbered(id int) *T {
	if id == 0 {
		l.made = true
		return &l.first
	}
	return l.other(id - 1)
}

func (l *perSub[T]) other(i int) *T {
	for i >= len(l.more) {
		l.more = append(l.more, nil)
	}
	if l.more[i] != nil {
		return l.more[i]
	}
	if n := len(l.spare); n > 0 {
		l.more[i], l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		l.more[i] = new(T)
	}
	return l.more[i]
}

// renewed returns an empty perSub in the same memory. reset must empty the state of one
// subflow, so that another one can use it.
func (l *perSub[T]) renewed(reset func(*T)) perSub[T] {
	if l.made {
		reset(&l.first)
	}
	for _, x := range l.more {
		if x != nil && len(l.spare) < mostSpare {
			reset(x)
			l.spare = append(l.spare, x)
		}
	}
	return perSub[T]{first: l.first, more: seq.Reuse(l.more), spare: l.spare, none: l.none}
}

// at returns the state of the subflow with that ID for reading; a zero T if there is none.
func (l *perSub[T]) at(id int) *T {
	switch {
	case id > 0 && id <= len(l.more) && l.more[id-1] != nil:
		return l.more[id-1]
	case id == 0 || !l.made: // if first is not in use, it is the zero value
		return &l.first
	case l.none == nil:
		l.none = new(T)
	}
	return l.none
}

// all iterates over the states by the ID of the subflow.
func (l *perSub[T]) all() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		if l.made && !yield(0, &l.first) {
			return
		}
		for i, x := range l.more {
			if x != nil && !yield(i+1, x) {
				return
			}
		}
	}
}
