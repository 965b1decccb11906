package conn

import "fmt"

// Times are nanoseconds of capture time.
const (
	// stragglerWait is how long an ended connection stays in the table for stragglers.
	stragglerWait = 5e9
	// joinWait is how long a connection without a live subflow may be joined again if
	// it is not closed at the data level (RFC 8684, Section 3.2), and how long a closed
	// one waits for silent subflows.
	joinWait = 60e9
	// sweepEvery is the time between two searches for connections to finish.
	sweepEvery = 1e9
	// twoMSL is two maximum segment lifetimes (RFC 9293, Section 3.4.1): later packets
	// of a 4-tuple belong to another connection.
	twoMSL = 240e9
)

// sweep finishes the connections that have been over for a while. It does
// nothing until many packets have passed, because it looks at all connections.
func (t *Table) sweep() {
	if 16*t.sinceSweep < t.numConns() {
		return
	}
	t.dsnIndex.since -= t.sinceSweep
	t.sweepAt, t.sinceSweep = t.now+sweepEvery, 0
	for c := range t.open.all() {
		if t.over(c) {
			t.finish(c)
		}
	}
	t.sweepPending()
}

// over reports whether no more packets of c are expected.
func (t *Table) over(c *Conn) bool {
	idle := t.now - c.Last()
	if idle > stragglerWait {
		t.processQueuedOf(c.slot)
		idle = t.now - c.Last() // as in the order of the capture
	}
	switch {
	case idle <= stragglerWait:
		return false
	case c.live == 0:
		return idle > joinWait || !c.mayBeJoined()
	}
	return idle > joinWait && c.State() != Open
}

// mayBeJoined reports whether another subflow may still join a connection without live
// subflows: it may until the connection is closed at the data level.
func (c *Conn) mayBeJoined() bool {
	return c.Kind == Multipath && c.Fallback == "" && !c.Fastclosed && !c.dataClosed()
}

// finish ends a connection: it tells its observers and frees its state.
func (t *Table) finish(c *Conn) {
	if c.finished {
		return
	}
	t.processQueuedOf(c.slot)
	c.finished, c.Until = true, t.now
	t.grouping.freeSlot(c.slot)
	t.open.remove(c)
	t.count(c, -c.counted)
	t.halfOpenList(c).remove(c)
	t.ended.remove(c)
	t.closed.remove(c)
	if c.aside == notAside {
		t.subflows -= len(c.Subflows)
	}
	t.Warnings.seen.count(c)
	for side := range c.Spaces {
		t.reportUnmapped(c, Side(side))
		c.Spaces[side].Close()
		t.notCaptured(c, Side(side))
	}
	c.explainSilentEnds()
	c.observer.Close(c.Last())
	ended := c.State() != Open
	for _, s := range c.Subflows {
		t.forgetSubflow(s, ended || s.ended)
	}
	t.forgetToken(c, A)
	t.forgetToken(c, B)
	t.dsnIndex.leave(c)
	c.detachObservers()
}

// notCaptured counts the segments of one side that were acknowledged but are not in the
// capture, and warns of packets that could not be taken for their segments.
func (t *Table) notCaptured(c *Conn, side Side) {
	for _, s := range c.Subflows {
		if h := &s.Senders[side]; h.Segments > h.CapturedSegments && h.MSS() < minMSS {
			t.warn("segment_size_unknown", "directions of subflows have packets that seem to stand for several segments, whose size no captured SYN tells: figures that count chunks, as those of the order, take such a packet for one, and its delays are those of its end", 0)
		}
		_, n := s.Senders[side].NotCaptured()
		t.Warnings.lost += n
	}
}

// reportUnmapped reports and drops the payload that still waits for a mapping at the
// end of a connection.
func (t *Table) reportUnmapped(c *Conn, side Side) {
	for _, s := range c.Subflows {
		subSpace := s.Spaces[side]
		n, first := subSpace.FirstUnmapped()
		if n == 0 {
			continue
		}
		c.emit(Event{
			Time: first.Time, Sub: s, From: side, Packet: first.Packet, Kind: EventUnmapped,
			Detail: fmt.Sprintf("payload without a mapping: %d runs to the end of the capture, the first in this packet", n),
		})
		subSpace.DropUnmapped()
	}
}

// forgetSubflow forgets the 4-tuple of a subflow. Later packets of a subflow that ended
// are stragglers. So are later packets of a subflow that was given up, unless only its
// SYN was captured.
func (t *Table) forgetSubflow(s *Subflow, ended bool) {
	k := key{s.Ends[A], s.Ends[B]}
	if t.flows[k.ordered()] != s {
		return
	}
	t.deleteFlow(k)
	if ended || s.NoSYN || s.initiatorAnswered() {
		t.rememberFlow(k, !ended, s.Conn.Order)
		t.timeWait.noteClosed(k, s)
	}
}

// rememberFlow remembers the 4-tuple of an ended connection.
func (t *Table) rememberFlow(k key, early bool, order int) {
	if endedAt, full := t.timeWait.add(k, t.now, early, order); full && t.now-endedAt < twoMSL && !t.atEnd {
		t.warn("forgotten", "more connections ended within four minutes than are remembered: late packets of the oldest look like connections of their own", 0)
	}
}

// deleteFlow removes a 4-tuple, of either direction, from t.flows.
func (t *Table) deleteFlow(k key) {
	t.cache.forget(k)
	delete(t.flows, k.ordered())
}

// Passed tells the table that time has passed without packets.
func (t *Table) Passed(until int64) { t.now = max(t.now, until) }

// Finish ends every connection that is still open, at the end of the capture.
func (t *Table) Finish() {
	t.atEnd = true
	t.reportAllOneSided()
	for len(t.pendingFlows) > 0 {
		t.giveUpPending(t.pendingFlows[0])
	}
	t.reportAllOneSided()
	for t.loneSYNs.first != nil {
		t.reportLoneSYN(t.loneSYNs.first)
	}
	for c := range t.open.all() {
		t.finish(c)
	}
}
