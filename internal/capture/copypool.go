package capture

import "math/bits"

// minCopy is the smallest capacity of a copy, in bytes. The other memory of a copy is about as
// large, so the sum of capacities bounds the number of copies, too.
const minCopy = 128

// copyPool provides copies of packets and reuses their memory, so that copying allocates nothing
// when there are enough. Capacities are powers of two. So a copy is reused only for packets of a
// similar length, and a short packet does not take the memory of a long one.
type copyPool struct {
	used  int                       // capacity of the copies in use, and their comments, bytes
	spare int                       // capacity of the copies taken back, bytes; at most mergeRoom
	free  [maxCopyClass]*packetCopy // by the power of two
}

// maxCopyClass is one more than the power of two that holds the longest block.
const maxCopyClass = 21

// get returns a copy of raw.
func (p *copyPool) get(raw *Raw) *packetCopy {
	class := bits.Len(uint(max(len(raw.Data), minCopy) - 1))
	c := p.free[class]
	if c == nil {
		c = &packetCopy{room: make([]byte, 1<<class)}
	} else {
		p.free[class], c.next = c.next, nil
		p.spare -= len(c.room)
	}
	c.raw = *raw
	p.used += c.size()
	c.raw.Data = c.room[:copy(c.room, raw.Data)]
	return c
}

// size returns the memory of a copy with its comments, in bytes.
func (c *packetCopy) size() int {
	n := len(c.room)
	for _, text := range c.raw.Comments {
		n += len(text)
	}
	return n
}

// put puts c back into the pool, or drops it if the pool has enough.
func (p *copyPool) put(c *packetCopy) {
	p.used -= c.size()
	c.raw.Comments = nil
	if p.spare+len(c.room) > mergeRoom {
		return
	}
	class := bits.Len(uint(len(c.room) - 1))
	p.spare += len(c.room)
	c.next, p.free[class] = p.free[class], c
}
