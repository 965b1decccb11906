package conn

import "fmt"

// Unseen reports whether the capture has no packet of an end on any subflow, although it came: see
// [subflow.Flow.Unseen]. Then it shows nothing of what this end sent, or did not do.
func (c *Conn) Unseen(side Side) bool {
	unseen := false
	for _, s := range c.Subflows {
		if s.Senders[side].Packets > 0 {
			return false
		}
		unseen = unseen || s.Flow.Unseen(side)
	}
	return unseen
}

// Lacks reports whether packets of an end are missing on any subflow. Where they are, nothing is
// known of this end on another subflow that has no packet of it: it may take the same route.
func (c *Conn) Lacks(side Side) bool {
	for _, s := range c.Subflows {
		if s.Flow.Unseen(side) {
			return true
		}
	}
	return false
}

// directions counts connections by whether the capture has one direction of them or both.
type directions struct {
	alone [2]int64 // by the end whose packets are there
	both  int64
}

// count counts a connection that has ended. One that shows neither does not count: its other end
// may never have answered.
func (d *directions) count(c *Conn) {
	seen := [2]bool{}
	for _, s := range c.Subflows {
		seen[A], seen[B] = seen[A] || s.Senders[A].Packets > 0, seen[B] || s.Senders[B].Packets > 0
	}
	switch {
	case seen[A] && seen[B]:
		d.both++
	case c.Unseen(A):
		d.alone[B]++
	case c.Unseen(B):
		d.alone[A]++
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
