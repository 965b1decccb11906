package capture

import "math/bits"

// minCopy is the smallest room of a copy in bytes; what else a copy takes is
// of the same order, so that counting room bounds the number of copies too.
const minCopy = 128

// copyPool hands out copies of packets and takes them back, so that copying
// allocates nothing once enough are there. Room comes in powers of two: it is
// of use for packets of a similar length only, so that a few long ones cannot
// leave long room under many short ones.
type copyPool struct {
	used  int                       // bytes of room handed out
	spare int                       // bytes of room taken back; at most mergeRoom
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
	p.used += len(c.room)
	c.raw = *raw
	c.raw.Data = c.room[:copy(c.room, raw.Data)]
	return c
}

// put takes c back.
func (p *copyPool) put(c *packetCopy) {
	p.used -= len(c.room)
	if p.spare+len(c.room) > mergeRoom {
		return
	}
	class := bits.Len(uint(len(c.room) - 1))
	p.spare += len(c.room)
	c.next, p.free[class] = p.free[class], c
}
