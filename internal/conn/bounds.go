package conn

import (
	"cmp"
	"slices"

	"mpanalyze/internal/subflow"
)

// The bounds of the table. At a bound one connection at a time is finished, so that the
// next one uses its memory.
const (
	// maxOpen bounds the subflows of all connections that are not finished. At the
	// bound the connections that have been idle longest are reported as they are.
	maxOpen = 1 << 14
	// maxHalfOpen bounds the half-open connections: see [Subflow.halfOpen]. At the
	// bound the oldest is reported as it is.
	maxHalfOpen = 1 << 10
	// maxEnded bounds the connections that lost their last subflow and wait for joins.
	// At the bound the one that ended first is finished.
	maxEnded = 1 << 10
	// maxClosed bounds the ended connections that wait only for stragglers: see
	// [Conn.waitsForJoins]. It is small, so that the memory of one is still in the
	// cache when the next one uses it.
	maxClosed = 1 << 7
	// fewPackets is a number of packets: a subflow with so many, or more, is not
	// half-open.
	fewPackets = 8
)

// bounds are the bounds of one table. Tests set lower ones.
type bounds struct{ open, halfOpen, ended, closed, waitingSYNs int }

const moreHalfOpen = "more half-open connections than are followed at once: the oldest were closed early"

// makeRoom finishes connections until there is room for another subflow, by number and by
// memory.
func (t *Table) makeRoom() {
	t.finishFirst(&t.halfOpen, t.bounds.halfOpen-1)
	for t.subflows >= t.bounds.open {
		t.warn("evicted", "more connections open at once than are followed: those idle longest were closed early", 0)
		t.evict()
	}
	if t.stateRoom <= 0 {
		t.boundState()
	}
	t.evictForState()
}

// halfOpen reports whether the handshake of a subflow is not over. Where it was not
// captured, a subflow is half-open until a packet of each end was captured. After
// fewPackets packets it is not half-open: perhaps only one direction is captured.
func (s *Subflow) halfOpen() bool {
	a, b := s.Senders[A].Packets, s.Senders[B].Packets
	switch {
	case s.Done() || a+b >= fewPackets:
		return false
	case s.NoSYN:
		return a == 0 || b == 0
	}
	return !s.initiatorAnswered()
}

// hasEnded notes that the last live subflow of c has ended.
func (t *Table) hasEnded(c *Conn, last *Subflow) {
	t.halfOpenList(c).remove(c)
	if c.waitsForJoins(last) {
		t.ended.add(c)
	} else {
		t.closed.add(c)
	}
	t.trim(&t.closed, t.bounds.closed)
	t.trim(&t.ended, t.bounds.ended)
}

// trim finishes the first connections of a list that has more than most.
func (t *Table) trim(list *list[Conn], most int) {
	for list.n > most {
		first := list.first
		if first.mayBeJoined() {
			t.warn("ended_early", "more connections wait for joins after the end of their last subflow than are followed at once: those that ended first were closed early", 0)
		}
		t.finish(first)
	}
}

// waitsForJoins reports whether the table waits for a join after the last subflow of c
// has ended. It does not wait if both hosts closed that subflow with a FIN. RFC 8684,
// Section 3.3.3, allows a join even then, until a timeout, if no DATA_FIN was
// acknowledged.
func (c *Conn) waitsForJoins(last *Subflow) bool {
	return c.mayBeJoined() && last.State != subflow.Closed
}

// idleConn is a connection as it was when findIdlest looked at it.
type idleConn struct {
	conn  *Conn
	order int // [Conn.Order] of conn at that time; by now another connection may use its memory
	rank  int
	last  int64
}

// evict finishes one connection. It prefers one that has ended, then a plain one, and among
// equals the one that has been idle longest. Ranking looks at all connections, so one
// ranking serves for a quarter of them.
func (t *Table) evict() {
	t.processQueued()
	for {
		for i := range t.toEvict {
			x := &t.toEvict[i]
			if x.conn.links[listOpen].in && x.conn.Order == x.order && x.conn.Last() == x.last {
				t.finish(x.conn)
				t.toEvict = t.toEvict[i+1:]
				return
			}
		}
		if t.findIdlest(); len(t.toEvict) == 0 {
			t.finish(t.open.first) // all are set aside
			return
		}
	}
}

// findIdlest ranks the connections and keeps the first quarter.
func (t *Table) findIdlest() {
	all := make([]idleConn, 0, t.open.n)
	for c := range t.open.all() {
		if c.aside == notAside {
			all = append(all, idleConn{c, c.Order, c.evictRank(), c.Last()})
		}
	}
	slices.SortFunc(all, func(a, b idleConn) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.last, b.last), cmp.Compare(a.order, b.order))
	})
	t.toEvict = slices.Clone(all[:(len(all)+3)/4])
}

// evictRank is lower for connections that are to be evicted first.
func (c *Conn) evictRank() int {
	switch {
	case c.live == 0:
		return 0
	case c.Kind != Multipath && !c.links[listHalfOpen].in: // half-open ones have a bound of their own, and may yet be Multipath
		return 1
	}
	return 2
}
