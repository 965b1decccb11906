package conn

import "iter"

// connList is a list of connections in the order in which they entered it. It is
// linked, so that a connection leaves without a search.
type connList struct {
	kind        listKind
	first, last *Conn
	n           int
}

// listKind names a list. A connection has links for one list of each kind.
type listKind int

const (
	listOpen listKind = iota // not finished
	listHalfOpen
	listEnded  // lost their last subflow and wait for joins
	listClosed // wait only for stragglers
	listKinds
)

// listLinks are the neighbours of a connection in a list.
type listLinks struct {
	next, prev *Conn
	in         bool
}

// add appends c, unless it is in the list.
func (r *connList) add(c *Conn) {
	at := &c.links[r.kind]
	if at.in {
		return
	}
	*at = listLinks{prev: r.last, in: true}
	if r.last != nil {
		r.last.links[r.kind].next = c
	} else {
		r.first = c
	}
	r.last = c
	r.n++
}

// remove removes c, if it is in the list.
func (r *connList) remove(c *Conn) {
	at := &c.links[r.kind]
	if !at.in {
		return
	}
	if at.prev != nil {
		at.prev.links[r.kind].next = at.next
	} else {
		r.first = at.next
	}
	if at.next != nil {
		at.next.links[r.kind].prev = at.prev
	} else {
		r.last = at.prev
	}
	*at = listLinks{}
	r.n--
}

// all iterates over the list. The current connection may be removed meanwhile.
func (r *connList) all() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		for c := r.first; c != nil; {
			next := c.links[r.kind].next
			if !yield(c) {
				return
			}
			c = next
		}
	}
}
