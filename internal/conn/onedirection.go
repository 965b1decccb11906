package conn

import (
	"fmt"
	"slices"
)

// Unseen reports whether packets of an end are missing, on some subflow and on all: see
// [subflow.Flow.Unseen]. Then nothing is known of this end on any subflow that has no packet of it,
// because it may take the same route.
func (c *Conn) Unseen(side Side) (some, all bool) {
	all = true
	for _, s := range c.Subflows {
		some, all = some || s.Flow.Unseen(side), all && s.Senders[side].Packets == 0
	}
	return some, some && all
}

// directions counts connections by whether the capture has one direction of them or both.
type directions struct {
	alone [2]int64 // by the end whose packets are there
	both  int64
}

// count counts a connection that has ended. One that shows neither does not count: its other end
// may never have answered.
func (d *directions) count(c *Conn) {
	_, noA := c.Unseen(A)
	_, noB := c.Unseen(B)
	switch {
	case noA:
		d.alone[B]++
	case noB:
		d.alone[A]++
	case slices.ContainsFunc(c.Subflows, func(s *Subflow) bool { return s.Senders[A].Packets > 0 && s.Senders[B].Packets > 0 }):
		d.both++
	}
}

// OneDirection is the code of the warning that a capture has one direction of its connections.
const OneDirection = "one_direction_captured"

// warning returns the warning; ok is false unless half of the connections or more show one
// direction alone.
func (d *directions) warning() (w Warning, ok bool) {
	n := d.alone[A] + d.alone[B]
	return Warning{Code: OneDirection, Count: n, Message: fmt.Sprintf(
		"the capture has the packets of one end alone of %d of %d connections (of a: %d, of b: %d), although this end acknowledges those of the other one: the other direction takes another route, or a filter or tap leaves it out. Figures that need it are absent, and nothing is said of what the other host did not do",
		n, n+d.both, d.alone[A], d.alone[B])}, n > 0 && n >= d.both
}
