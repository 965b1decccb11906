package conn

import (
	"mpanalyze/internal/packet"
)

// The memory of connections is used again where their observers give it back:
// servers see thousands a minute, of 10 kB in some twenty pieces each.
const (
	// maxSpare bounds the connections that wait to be used again, of a table.
	maxSpare = 64
	// maxSpareSubflows bounds the subflows of one.
	maxSpareSubflows = 4
)

// GiveBack says that nobody will look at c and its subflows any more. Any
// goroutine may call it, once, after the observers were told of the end; it must
// not where several observers follow c, unless all agree.
func (c *Conn) GiveBack() {
	select {
	case c.home <- c:
	default:
	}
}

// vacant returns a connection of which nothing is known.
func (t *Table) vacant() *Conn {
	for {
		select {
		case c := <-t.returned:
			if cap(c.Subflows) <= maxSpareSubflows {
				c.clear()
				return c
			}
		default:
			return new(Conn)
		}
	}
}

// clear makes c a connection of which nothing is known.
func (c *Conn) clear() {
	for side := range c.Spaces {
		c.Spaces[side].Clear()
	}
	*c = Conn{Spaces: c.Spaces, Subflows: c.Subflows[:0]}
}

// newSubflow returns a subflow for c whose first packet is s.
func (c *Conn) newSubflow(s *packet.Segment) *Subflow {
	sub := c.spareSubflow()
	sub.Start, sub.AddressID = s.Time, [2]int{-1, -1}
	sub.Headless = s.Flags&(packet.SYN|packet.ACK) != packet.SYN
	if joinOf(s) != nil {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	return sub
}

// spareSubflow returns a subflow of which nothing is known: one that c had
// before it was cleared, if it had so many.
func (c *Conn) spareSubflow() *Subflow {
	n := len(c.Subflows)
	if n == cap(c.Subflows) || c.Subflows[:n+1][n] == nil {
		return new(Subflow)
	}
	sub := c.Subflows[:n+1][n]
	sub.Flow.Clear()
	*sub = Subflow{Flow: sub.Flow}
	return sub
}
