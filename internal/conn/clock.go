package conn

import (
	"fmt"
	"slices"
	"strconv"

	"mpanalyze/internal/packet"
)

// maxClockSteps bounds the clock steps that are reported to connections. A clock that
// is set more often is useless: connections that are open then, or begin later, get a
// clock fault.
const maxClockSteps = 256

const manyClockSteps = "the clock of the capture was set again and again (warning clock_stepped)"

// clockChanged takes a clock step before packet s; it concerns all open connections.
func (t *Table) clockChanged(s *packet.Segment) {
	if s.Clock.Has(packet.OutOfOrder) || s.ClockSet == 0 || t.clockSteps > maxClockSteps {
		return
	}
	t.processQueued()
	t.openAllWaiting()
	t.clockSteps++
	for t.oneSided.n > 0 {
		t.openOneSided(t.oneSided.first)
	}
	for t.oneEnd.n > 0 {
		t.admit(t.oneEnd.first)
	}
	for c := range t.open.all() {
		switch {
		case t.clockSteps > maxClockSteps:
			c.clockFault = manyClockSteps
		default:
			c.clockStepped(s)
		}
	}
}

// clockStepped notes a clock step before packet s.
func (c *Conn) clockStepped(s *packet.Segment) {
	detail := "the clock of the capture was set by " + SignedSeconds(s.ClockSet)
	if s.Clock.Has(packet.ClockProven) {
		detail += "; TCP timestamps prove it, and it was taken out of all times that follow"
	} else {
		detail += " as far as the stamps show; how much time passed meanwhile is not known"
		c.clockFault = "the clock of the capture was set while the connection was open (warning clock_stepped), and no TCP timestamps tell by how much"
	}
	c.emit(Event{Time: s.Time, Packet: s.Num, Kind: EventClock, Detail: detail})
}

// clockFaultOf notes what is wrong with the times of c since packet s, if anything is.
func (c *Conn) clockFaultOf(s *packet.Segment) {
	if s.Clock.Has(packet.OutOfOrder) {
		c.noteOutOfOrder(s)
	}
	switch {
	case c.clockFault != "":
	case s.Clock.Has(packet.TwoPlaces):
		c.clockFault = "packets were captured at two places with a path between them (warning captured_at_two_places)"
	case s.Clock.Has(packet.Uncountable):
		c.clockFault = "times of packets are beyond what can be counted (warning time_out_of_range)"
	}
}

// noteOutOfOrder notes a packet of c that is older than the one before it in the file.
func (c *Conn) noteOutOfOrder(s *packet.Segment) {
	const fault = "packets stand behind their place in the capture file (warning packets_out_of_order)"
	if c.clockFault == "" {
		c.clockFault = fault
		c.emit(Event{Time: s.Time, Packet: s.Num, Kind: EventLate, Detail: fmt.Sprintf(
			"the packet stands %s behind its place in the capture file, the first of the connection", SignedSeconds(-s.ClockSet)[1:])})
	}
}

// ClockFault returns why time differences of c are not known; empty where they are.
func (c *Conn) ClockFault() string { return c.clockFault }

// maxUntimed bounds Conn.untimed. Data that waits longer for its DATA_ACK gives a delay that is
// wrong by what the warning times_out_of_order says.
const maxUntimed = 256

// noteUntimed notes a packet of c that has no time of its own.
func (c *Conn) noteUntimed(s *packet.Segment) {
	if len(c.untimed) >= maxUntimed {
		c.untimed = c.untimed[:copy(c.untimed, c.untimed[maxUntimed/2:])]
	}
	c.untimed = append(c.untimed, s.Num)
}

// HasUntimed reports whether a packet of c has no time of its own.
func (c *Conn) HasUntimed() bool { return len(c.untimed) > 0 }

// Untimed reports whether the packet of a number has no time of its own.
func (c *Conn) Untimed(num uint64) bool { return slices.Contains(c.untimed, num) }

// SignedSeconds returns a time in ns as seconds with its sign, for people.
func SignedSeconds(ns int64) string {
	s := strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) + " s"
	if ns >= 0 {
		s = "+" + s
	}
	return s
}
