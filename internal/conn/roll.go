package conn

import "iter"

// roll is a list of connections in the order in which they entered it. A connection
// knows its neighbours, so that it leaves without a search.
type roll struct {
	kind        rollKind
	first, last *Conn
	n           int
}

// rollKind names a list: a connection stands in no more than one of each kind.
type rollKind int

const (
	allOpen rollKind = iota // those that are not finished
	allHalfOpen
	allEnded  // those that lost their last subflow and wait for joins
	allClosed // those that wait for stragglers only
	rollKinds
)

// rolled is the place of a connection in a list.
type rolled struct {
	next, prev *Conn
	in         bool
}

// add puts c at the end, unless it stands in the list.
func (r *roll) add(c *Conn) {
	at := &c.rolled[r.kind]
	if at.in {
		return
	}
	*at = rolled{prev: r.last, in: true}
	if r.last != nil {
		r.last.rolled[r.kind].next = c
	} else {
		r.first = c
	}
	r.last = c
	r.n++
}

// remove takes c out, if it stands in the list.
func (r *roll) remove(c *Conn) {
	at := &c.rolled[r.kind]
	if !at.in {
		return
	}
	if at.prev != nil {
		at.prev.rolled[r.kind].next = at.next
	} else {
		r.first = at.next
	}
	if at.next != nil {
		at.next.rolled[r.kind].prev = at.prev
	} else {
		r.last = at.prev
	}
	*at = rolled{}
	r.n--
}

// all goes through the list; the connection at hand may leave meanwhile.
func (r *roll) all() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		for c := r.first; c != nil; {
			next := c.rolled[r.kind].next
			if !yield(c) {
				return
			}
			c = next
		}
	}
}
