package conn

import (
	"sync"

	"mpanalyze/internal/packet"
)

// Observers give connections back, and the table uses their memory again. This saves
// much: a server sees thousands of connections a minute, and each takes 20 kB and about
// sixty allocations, figures included: 12 % of its instructions.
const (
	// maxPooled bounds the unused connections of a table. There may be many at once,
	// because connections that begin together often end together.
	maxPooled = 1 << 8
	// maxPooledSubflows bounds the subflows of a connection in the pool.
	maxPooledSubflows = 4
)

// connPool holds unused connections. The latest is used first because its memory is
// still in the cache.
type connPool struct {
	lock sync.Mutex
	list []*Conn // bounded by maxPooled
}

func (s *connPool) put(c *Conn) {
	s.lock.Lock()
	if len(s.list) < maxPooled {
		s.list = append(s.list, c)
	}
	s.lock.Unlock()
}

// get returns nil where the pool is empty.
func (s *connPool) get() (c *Conn) {
	s.lock.Lock()
	if n := len(s.list); n > 0 {
		c, s.list = s.list[n-1], s.list[:n-1]
	}
	s.lock.Unlock()
	return c
}

// Recycle says that c, its subflows and o are not used any more. Any goroutine may call
// it, once, after the observers' Close. If several observers follow c, all must agree.
func (c *Conn) Recycle(o Observer) {
	if cap(c.Subflows) <= maxPooledSubflows {
		c.recycled = o
		c.pool.put(c)
	}
}

// RecycledObserver returns the observer that came with the memory of c, for a [Module]
// to use its memory; nil for none.
func (c *Conn) RecycledObserver() Observer { return c.recycled }

// newOrRecycled returns an empty connection.
func (t *Table) newOrRecycled() *Conn {
	c := t.pool.get()
	if c == nil {
		return new(Conn)
	}
	c.clear()
	return c
}

// clear empties c but keeps its memory.
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
	if _, joins := joinOf(s); joins {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	return sub
}

// recycledSubflow returns an empty subflow, if possible in memory that c had before it
// was cleared.
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
