package conn

import "iter"

// list is a list in the order in which elements entered it. It is linked, so that an element
// leaves without a search.
type list[E any] struct {
	links       func(*E) *links[E] // those of an element for this list
	first, last *E
	n           int
}

// links are the neighbours of an element in a list.
type links[E any] struct {
	next, prev *E
	in         bool
}

// connListKind names a list of connections. A connection has links for one list of each kind.
type connListKind int

const (
	listOpen     connListKind = iota // not finished
	listHalfOpen                     // or set aside: see [Table.setAside]
	listEnded                        // lost their last subflow and wait for joins
	listClosed                       // wait only for stragglers
	connListKinds
)

func connList(kind connListKind) list[Conn] {
	return list[Conn]{links: func(c *Conn) *links[Conn] { return &c.links[kind] }}
}

// add appends e, unless it is in the list.
func (l *list[E]) add(e *E) {
	at := l.links(e)
	if at.in {
		return
	}
	*at = links[E]{prev: l.last, in: true}
	if l.last != nil {
		l.links(l.last).next = e
	} else {
		l.first = e
	}
	l.last = e
	l.n++
}

// remove removes e, if it is in the list.
func (l *list[E]) remove(e *E) {
	at := l.links(e)
	if !at.in {
		return
	}
	if at.prev != nil {
		l.links(at.prev).next = at.next
	} else {
		l.first = at.next
	}
	if at.next != nil {
		l.links(at.next).prev = at.prev
	} else {
		l.last = at.prev
	}
	*at = links[E]{}
	l.n--
}

// all iterates over the list. The current element may be removed meanwhile.
func (l *list[E]) all() iter.Seq[*E] {
	return func(yield func(*E) bool) {
		for e := l.first; e != nil; {
			next := l.links(e).next
			if !yield(e) {
				return
			}
			e = next
		}
	}
}

// spares are elements that are not used, for their memory.
type spares[E any] []*E

// take returns an element; a new one if there is none.
func (s *spares[E]) take() *E {
	n := len(*s)
	if n == 0 {
		return new(E)
	}
	e := (*s)[n-1]
	*s = (*s)[:n-1]
	return e
}
