package conn

import (
	"sync"

	"mpanalyze/internal/packet"
)

// The memory of connections is used again where their observers give it back:
// servers see thousands a minute, of 20 kB with their figures in some sixty pieces each.
const (
	// maxPooled bounds the connections that wait to be used again, of a table: those that
	// began together end together.
	maxPooled = 1 << 8
	// maxPooledSubflows bounds the subflows of one.
	maxPooledSubflows = 4
)

// connPool are connections that wait to be used again, those first that came last: their
// memory is still in the cache.
type connPool struct {
	lock sync.Mutex
	list []*Conn // bounded by maxSpare
}

func (s *connPool) put(c *Conn) {
	s.lock.Lock()
	if len(s.list) < maxPooled {
		s.list = append(s.list, c)
	}
	s.lock.Unlock()
}

// get returns nil where there is none.
func (s *connPool) get() (c *Conn) {
	s.lock.Lock()
	if n := len(s.list); n > 0 {
		c, s.list = s.list[n-1], s.list[:n-1]
	}
	s.lock.Unlock()
	return c
}

// Recycle says that nobody will look at c, its subflows and o any more. Any
// goroutine may call it, once, after the observers were told of the end; it must
// not where several observers follow c, unless all agree.
func (c *Conn) Recycle(o Observer) {
	if cap(c.Subflows) <= maxPooledSubflows {
		c.recycled = o
		c.pool.put(c)
	}
}

// RecycledObserver returns the observer that was given back with the memory of c, for a [Module] to
// use its memory; nil for none.
func (c *Conn) RecycledObserver() Observer { return c.recycled }

// newOrRecycled returns a connection of which nothing is known.
func (t *Table) newOrRecycled() *Conn {
	c := t.pool.get()
	if c == nil {
		return new(Conn)
	}
	c.clear()
	return c
}

// clear makes c a connection of which nothing is known.
func (c *Conn) clear() {
	for side := range c.Spaces {
		c.Spaces[side].Clear()
	}
	*c = Conn{Spaces: c.Spaces, Subflows: c.Subflows[:0], recycled: c.recycled}
}

// newSubflow returns a subflow for c whose first packet is s.
func (c *Conn) newSubflow(s *packet.Segment) *Subflow {
	sub := c.recycledSubflow()
	sub.Start, sub.AddressID = s.Time, [2]int{-1, -1}
	sub.NoSYN = s.Flags&(packet.SYN|packet.ACK) != packet.SYN
	if joinOf(s) != nil {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	return sub
}

// recycledSubflow returns a subflow of which nothing is known: one that c had
// before it was cleared, if it had so many.
func (c *Conn) recycledSubflow() *Subflow {
	n := len(c.Subflows)
	if n == cap(c.Subflows) || c.Subflows[:n+1][n] == nil {
		return new(Subflow)
	}
	sub := c.Subflows[:n+1][n]
	sub.Flow.Clear()
	*sub = Subflow{Flow: sub.Flow}
	return sub
}
