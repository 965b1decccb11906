package conn

import "iter"

// connList is a list of connections in the order in which they entered it. A connection
// knows its neighbours, so that it leaves without a search.
type connList struct {
	kind        listKind
	first, last *Conn
	n           int
}

// listKind names a list: a connection stands in no more than one of each kind.
type listKind int

const (
	listOpen listKind = iota // those that are not finished
	listHalfOpen
	listEnded  // those that lost their last subflow and wait for joins
	listClosed // those that wait for stragglers only
	listKinds
)

// listLinks is the place of a connection in a list.
type listLinks struct {
	next, prev *Conn
	in         bool
}

// add puts c at the end, unless it stands in the list.
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

// remove takes c out, if it stands in the list.
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

// all goes through the list; the connection at hand may leave meanwhile.
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
