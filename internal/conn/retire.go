package conn

import "fmt"

// Times are nanoseconds of capture time.
const (
	// linger is how long an ended connection stays in the table for
	// stragglers.
	linger = 5e9
	// regrow is how long a connection without a living subflow, but not
	// closed at the data level, may be joined again (RFC 8684, Section
	// 3.2), and how long one that is closed waits for silent subflows.
	regrow = 60e9
	// sweepEvery is the time between two looks for ended connections.
	sweepEvery = 1e9
	// quiet is two maximum segment lifetimes (RFC 9293, Section 3.4.1):
	// later packets of a 4-tuple belong to another connection.
	quiet = 240e9
)

// sweep retires the connections that have been over for a while, at time now. It
// waits for as many packets as pay for looking at all connections.
func (t *Table) sweep(now int64) {
	if 16*t.since < t.open.n+len(t.lones.at) {
		return
	}
	t.now = max(t.now, now)
	t.numbers.since -= t.since
	t.sweepAt, t.since = t.now+sweepEvery, 0
	for c := range t.open.all() {
		if !t.grouping.holds(c) && t.over(c) {
			t.finish(c)
		}
	}
	t.sweepOrphans()
}

// over reports whether nothing more is expected of c.
func (t *Table) over(c *Conn) bool {
	idle := t.now - c.Last()
	switch {
	case idle <= linger:
		return false
	case c.live == 0:
		return idle > regrow || !c.mayGrow()
	}
	return idle > regrow && c.State() != Open
}

// mayGrow reports whether another subflow may still join a connection none of
// whose subflows is alive: it lives on until it is closed at the data level.
func (c *Conn) mayGrow() bool {
	return c.Kind == Multipath && c.Fallback == "" && !c.Fastclosed && !c.dataClosed()
}

// finish closes a connection for good: its observers are told and its state is
// freed.
func (t *Table) finish(c *Conn) {
	if c.done {
		return
	}
	c.done = true
	t.grouping.leave(c.place)
	t.open.remove(c)
	t.halfs.remove(c)
	t.ended.remove(c)
	t.closed.remove(c)
	t.subflows -= len(c.Subflows)
	for side := range c.Spaces {
		t.concede(c, Side(side))
		c.settle(Side(side), true)
		t.notCaptured(c, Side(side))
	}
	c.vanished()
	c.watcher.Close(c.Last())
	ended := c.State() != Open
	for _, s := range c.Subflows {
		t.drop(s, ended || s.ended)
	}
	t.forgetToken(c, A)
	t.forgetToken(c, B)
	t.numbers.leave(c)
	c.dismiss()
}

// notCaptured counts what one side sent that was acknowledged and that the
// capture does not hold.
func (t *Table) notCaptured(c *Conn, side Side) {
	for _, s := range c.Subflows {
		_, n := s.Senders[side].NotCaptured()
		t.Warnings.lost += n
	}
}

// concede settles payload that still waits for a mapping at the end of a
// connection.
func (t *Table) concede(c *Conn, side Side) {
	for _, s := range c.Subflows {
		lane := s.Spaces[side]
		n, first := lane.FirstUnmapped()
		if n == 0 {
			continue
		}
		c.event(Event{
			Time: first.Time, Sub: s, From: side, Packet: first.Packet, Kind: EventUnmapped,
			Detail: fmt.Sprintf("payload without a mapping: %d runs to the end of the capture, the first in this packet", n),
		})
		lane.DropUnmapped()
	}
}

// drop forgets the 4-tuple of a subflow. What follows on one that has ended is a
// straggler; so is what follows on one that was given up, but for the answer to a SYN.
func (t *Table) drop(s *Subflow, ended bool) {
	k := key{s.Ends[A], s.Ends[B]}
	if t.flows[k.ordered()] != s {
		return
	}
	t.unmap(k)
	if ended || s.NoSYN || s.spoke() {
		t.retired.add(k, t.now, !ended)
	}
}

// unmap takes a 4-tuple, of either direction, from those that are known.
func (t *Table) unmap(k key) {
	t.cache.forget(k)
	delete(t.flows, k.ordered())
}

// Finish closes every connection that is still open, at the end of the
// capture.
func (t *Table) Finish() {
	t.reportFragments()
	for len(t.orphans) > 0 {
		t.release(t.orphans[0])
	}
	t.reportFragments()
	for t.lones.first != 0 {
		t.giveUp(t.lones.first)
	}
	for c := range t.open.all() {
		t.finish(c)
	}
}
