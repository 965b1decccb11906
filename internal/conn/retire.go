package conn

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/subflow"
)

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

// The bounds of the table.
const (
	// maxOpen bounds the connections; at the bound a quarter of them is
	// reported as it stands.
	maxOpen = 1 << 14
	// maxFinished is how many finished connections may wait to be dropped.
	maxFinished = 1 << 10
	// maxHalfOpen bounds the connections that are only a SYN so far; at
	// the bound the oldest quarter is reported as it stands.
	maxHalfOpen = 1 << 12
	// maxRetired bounds the 4-tuples of ended connections that are
	// remembered, so that stragglers do not look like new connections.
	maxRetired = 1 << 14
)

// sweep retires the connections that have been over for a while, at time now. It
// waits for as many packets as pay for looking at all connections.
func (t *Table) sweep(now int64) {
	if 16*t.since < len(t.open) {
		return
	}
	t.now = max(t.now, now)
	t.numbers.since -= t.since
	t.sweepAt, t.since = t.now+sweepEvery, 0
	for _, c := range t.open {
		if !c.done && t.over(c) {
			t.finish(c)
		}
	}
	t.dropFinished()
	t.pruneHalfOpen()
	t.reclaim()
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
	t.live--
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
		_, n := s.Half[side].NotCaptured()
		t.Warnings.lost += n
	}
}

// concede settles payload that still waits for a mapping at the end of a
// connection.
func (t *Table) concede(c *Conn, side Side) {
	for _, s := range c.Subflows {
		lane := s.Lanes[side]
		n, first := lane.Pending()
		if n == 0 {
			continue
		}
		c.event(Event{
			Time: first.Time, Sub: s, From: side, Packet: first.Packet, Kind: EventUnmapped,
			Detail: fmt.Sprintf("payload without a mapping: %d runs to the end of the capture, the first in this packet", n),
		})
		lane.Abandon()
	}
}

// drop forgets the 4-tuple of a subflow; what follows on one that has ended is
// a straggler.
func (t *Table) drop(s *Subflow, ended bool) {
	for from := range s.Ends {
		k := key{s.Ends[from], s.Ends[1-from]}
		if e, ok := t.flows[k]; ok && e.Sub == s {
			t.cache.forget(k)
			delete(t.flows, k)
			if ended {
				t.retired.add(k, t.now)
			}
		}
	}
}

// evict finishes a quarter of the connections: those that have ended, then
// plain ones, then the rest, of each those first that have been idle longest.
func (t *Table) evict() {
	t.warn("evicted", "more connections open at once than are followed: those idle longest were closed early", 0)
	t.dropFinished()
	worth := func(c *Conn) int {
		switch {
		case c.live == 0:
			return 0
		case c.Kind != Multipath:
			return 1
		}
		return 2
	}
	idle := slices.Clone(t.open)
	slices.SortStableFunc(idle, func(a, b *Conn) int {
		return cmp.Or(cmp.Compare(worth(a), worth(b)), cmp.Compare(a.Last(), b.Last()))
	})
	for _, c := range idle[:len(idle)/4] {
		t.finish(c)
	}
	t.dropFinished()
}

func (t *Table) dropFinished() {
	t.open = slices.DeleteFunc(t.open, func(c *Conn) bool { return c.done })
}

// Finish closes every connection that is still open, at the end of the
// capture.
func (t *Table) Finish() {
	for len(t.orphans) > 0 {
		t.release(0)
	}
	for _, c := range t.open {
		t.finish(c)
	}
	t.open = nil
}

// retired remembers the 4-tuples of ended connections.
type retired struct {
	when map[key]int64
	list []tombstone // ring in the order of retirement; bounded by maxRetired
	next int
}

type tombstone struct {
	key
	at int64
}

func (r *retired) add(k key, now int64) {
	if r.when == nil {
		r.when = make(map[key]int64)
	}
	if len(r.list) < maxRetired {
		r.list = append(r.list, tombstone{k, now})
	} else {
		if old := r.list[r.next]; r.when[old.key] == old.at { // it did not end again since
			delete(r.when, old.key)
		}
		r.list[r.next] = tombstone{k, now}
		r.next = (r.next + 1) % maxRetired
	}
	r.when[k] = now
}

// has reports whether k ended so lately that packets of it may still come.
func (r *retired) has(k key, now int64) bool {
	at, ok := r.when[k]
	return ok && now-at < quiet
}

// halfOpened enters a connection that is only a SYN so far.
func (t *Table) halfOpened(c *Conn) {
	if t.halfs = append(t.halfs, c); len(t.halfs) < maxHalfOpen {
		return
	}
	t.pruneHalfOpen()
	if len(t.halfs) < maxHalfOpen*3/4 {
		return
	}
	t.warn("half_open", "more half-open connections than are followed at once: the oldest were closed early", 0)
	for _, c := range t.halfs[:maxHalfOpen/4] {
		t.finish(c)
	}
	t.pruneHalfOpen()
}

// pruneHalfOpen drops what is finished, or not half-open any more.
func (t *Table) pruneHalfOpen() {
	t.halfs = slices.DeleteFunc(t.halfs, func(c *Conn) bool {
		return c.done || len(c.Subflows) > 0 && c.Subflows[0].State != subflow.Opening
	})
}
