package engine

import (
	"mpanalyze/internal/packet"
)

// Files that were merged from several interfaces, and captures on several
// processors, hold packets out of the order of their time stamps by
// microseconds: an answer may stand before what it answers. A packet is moved
// forward by no more than this. Larger steps are those of a clock that was set.
const (
	maxDisorder = 1e6 // ns
	maxOvertake = 64  // packets
)

// inOrder sorts segments by time, as far as they are out of order by little;
// those before begun are sorted. Equal times stay in the order of the file.
func inOrder(segs []packet.Segment, begun int) {
	for i := max(1, begun); i < len(segs); i++ {
		if segs[i].Time < segs[i-1].Time {
			forward(segs, i)
		}
	}
}

// forward moves the i-th segment before those of later times.
func forward(segs []packet.Segment, i int) {
	to := i
	for to > max(0, i-maxOvertake) && segs[to-1].Time > segs[i].Time && segs[to-1].Time-segs[i].Time <= maxDisorder {
		to--
	}
	if to == i {
		return
	}
	s := segs[i]
	copy(segs[to+1:i+1], segs[to:i])
	segs[to] = s
}

// batchEnd keeps the end of a batch for the next one, as a packet that comes
// yet may have to be moved before it.
type batchEnd struct {
	segs    []packet.Segment // bounded by maxOvertake and clockstep.MaxHeld
	payload []byte           // bounded by maxHeldBack, twice
	waiting int              // the last of them whose stamps are not understood yet
}

// maxHeldBack bounds the payload that is held back. A batch of super-segments
// ends where it ends.
const maxHeldBack = batchPayload / 4

// take takes the segments off b that a packet after it may overtake, and those that
// are not settled.
func (e *batchEnd) take(b *batch) {
	end := b.n
	e.waiting = b.n - b.settled
	b.n = b.settled
	for octets := 0; b.settled-b.n < maxOvertake && b.n > 0; b.n-- {
		s := &b.segs[b.n-1]
		if octets += len(s.Payload); octets > maxHeldBack || b.segs[b.settled-1].Time-s.Time > maxDisorder {
			break
		}
	}
	b.settled = b.n
	e.segs = append(e.segs[:0], b.segs[b.n:end]...)
	for i := range e.segs {
		e.payload = keep(&e.segs[i], e.payload)
	}
}

// release puts what was taken at the start of b, which is empty.
func (e *batchEnd) release(b *batch) {
	b.n = copy(b.segs[:], e.segs)
	for i := range b.n {
		b.payload = keep(&b.segs[i], b.payload)
	}
	b.settled = b.n - e.waiting
	e.segs, e.payload, e.waiting = e.segs[:0], e.payload[:0], 0
}

// keep copies the payload of s to the end of buf, and returns buf.
func keep(s *packet.Segment, buf []byte) []byte {
	if len(s.Payload) == 0 {
		return buf
	}
	at := len(buf)
	buf = append(buf, s.Payload...)
	s.Payload = buf[at:len(buf):len(buf)]
	return buf
}
