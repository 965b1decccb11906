package metrics

import (
	"iter"

	"mpanalyze/internal/seq"
)

// perSub is what a meter keeps of each subflow, made when first needed. The zero
// value is empty. That of the first subflow takes no memory of its own: most
// connections have no other.
type perSub[T any] struct {
	first T
	made  bool // first is in use
	more  []*T // of the others, by their ID less 1; nil where nothing is kept; bounded by the subflows that conn keeps
	spare []*T // empty, of an earlier connection; bounded by mostSpare
	none  *T   // what is read of a subflow of which nothing is kept; nobody writes to it
}

// mostSpare bounds the further subflows whose memory the next connection takes.
const mostSpare = 8

// of returns what is kept of a subflow, to be written to.
func (l *perSub[T]) of(s *SubDir) *T {
	if s.id == 0 {
		l.made = true
		return &l.first
	}
	return l.other(s.id - 1)
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

// renewed returns it with nothing kept, in the same memory; reset readies what was kept
// of one subflow for another one.
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

// at returns what is kept of a subflow by its ID, to be read; a zero T where
// nothing is.
func (l *perSub[T]) at(id int) *T {
	switch {
	case id > 0 && id <= len(l.more) && l.more[id-1] != nil:
		return l.more[id-1]
	case id == 0 || !l.made: // where the first one is not in use, it is empty
		return &l.first
	case l.none == nil:
		l.none = new(T)
	}
	return l.none
}

// all returns what is kept, by the ID of the subflow.
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
