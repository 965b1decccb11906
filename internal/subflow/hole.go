package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// hole is a run of positions that had not been captured when a higher position was.
type hole struct {
	seq.Range[seq.SSN]
	before Stamp  // the latest new payload, or the SYN, before it
	after  Stamp  // the packet with the higher position, or the acknowledgment
	tsval  uint32 // of the packet with the higher position; valid with hasTS
	hasTS  bool
	acked  bool // the hole was opened by an acknowledgment: the data was captured late, or never
}

// defaultReorderWait is the longest time, in ns, after which reordering may fill a
// hole, if no round trip is known.
const defaultReorderWait = 10e6

// tooLate reports whether packet s, which fills a part of the hole, must be a retransmission that
// was sent because the original was lost, and cannot be the original, reordered.
//
// With timestamps the sender's clock decides. The original left before the packet that
// opened the hole, so its TSval is not greater. A retransmission left at least a round trip
// later, when the sender learned of the hole, so its TSval is greater.
//
// Without timestamps that round trip decides: the sender learns of the hole when the
// packet that opened it has passed from the capture point to the receiver and its ACK
// has come back, and the retransmission then travels to the capture point. This takes a whole
// round trip, wherever the capture was taken. Reordering delays a packet by much less,
// or the sender itself would take it for a loss (RFC 8985, Section 6.2 waits a quarter
// of the round trip). The limit is half a round trip: reorderWait is half the smoothed
// round-trip time, 0 where none is known.
func (x *hole) tooLate(s *packet.Segment, reorderWait int64) bool {
	if x.hasTS && s.Have&packet.HasTimestamps != 0 {
		return int32(s.TSVal-x.tsval) > 0
	}
	if reorderWait == 0 {
		reorderWait = defaultReorderWait
	}
	return s.Time-x.after.Time > reorderWait
}

// maxHoles bounds the holes of one direction. At the bound the oldest are dropped, and
// what fills one of these counts as a retransmission.
const maxHoles = 4096

// holes are the positions below SND.NXT that were not captured, in ascending order,
// without overlap.
type holes struct {
	list         seq.List[hole] // bounded by maxHoles
	droppedBytes int64          // bytes of holes far below SND.UNA, which were dropped
}

// open adds a hole that lies above all others.
func (h *holes) open(x hole) {
	h.bound()
	h.list.Compact()
	*h.list.Push() = x
}

// bound makes room for one more hole. It drops many at once, so that it seldom has to.
func (h *holes) bound() {
	if h.list.Len() >= maxHoles {
		h.list.Pop(maxHoles / 4)
	}
}

// find returns the place of the first hole that ends above p.
func (h *holes) find(p seq.SSN) seq.Place {
	return h.list.Search(func(x *hole) bool { return x.End > p })
}

// Misses reports whether any position of r was not captured although a higher one was.
func (snd *Sender) Misses(r seq.Range[seq.SSN]) bool {
	x := snd.holes.list.At(snd.holes.find(r.Start))
	return x != nil && x.Start < r.End
}

// Holed reports whether a position above SND.UNA was not captured although a higher one was.
func (snd *Sender) Holed() bool {
	x := snd.holes.list.Back()
	return x != nil && x.End > snd.sndUna
}

// HoleBefore returns the packet before the hole that packet s opened, if it opened one.
func (snd *Sender) HoleBefore(s *packet.Segment) (before Stamp, ok bool) {
	x := snd.holes.list.Back()
	if x == nil || x.after.Packet != s.Num || x.End != snd.ssn(s.Seq) {
		return Stamp{}, false
	}
	return x.before, true
}

// close removes the positions of r from all holes.
func (h *holes) close(r seq.Range[seq.SSN]) {
	at := h.find(r.Start)
	if x := h.list.At(at); x != nil && x.Start < r.Start { // a part below r stays
		below := *x
		below.End = r.Start
		x.Start = r.Start
		at = h.list.Next(h.list.Insert(at, below))
	}
	n, next := 0, at
	for x := h.list.At(next); x != nil && x.End <= r.End; x = h.list.At(next) {
		n++
		next = h.list.Next(next)
	}
	if x := h.list.At(h.list.Remove(at, n)); x != nil && x.Start < r.End {
		x.Start = r.End
	}
	h.bound()
}

// forget drops the holes that end at or below p. Mostly there are none.
func (h *holes) forget(p seq.SSN) {
	for x := h.list.Front(); x != nil && x.End <= p; x = h.list.Front() {
		h.droppedBytes += x.Len()
		h.list.Pop(1)
	}
}

// NotCaptured returns how many bytes of the stream the capture lost, and the least
// number of segments that they take. These bytes were acknowledged or SACKed but not
// captured, although other bytes were. It counts neither a FIN nor the holes that were
// dropped at their bound.
func (snd *Sender) NotCaptured() (bytes, segments int64) {
	if snd.CapturedSegments == 0 {
		return 0, 0
	}
	bytes, segments = snd.holes.droppedBytes, snd.segmentsIn(snd.holes.droppedBytes)
	for gap := range snd.holes.list.All() {
		x := gap.Range
		n := x.Len() - snd.unackedBytes(x)
		if x.End == snd.sndNxt && x.End == snd.sndUna && !snd.finSeen { // the last position may be that of the FIN
			n--
		}
		bytes += n
		segments += snd.segmentsIn(n)
	}
	return bytes, segments
}

// shift moves every position by delta.
func (h *holes) shift(delta seq.SSN) {
	for x := range h.list.All() {
		x.Start += delta
		x.End += delta
	}
}

// InOrder returns the end of what arrived in order: up to the first hole of the capture, or
// as far as the other end acknowledged, whichever is further.
func (snd *Sender) InOrder() seq.SSN {
	end := snd.sndNxt
	if snd.holes.list.Len() > 0 {
		end = snd.holes.list.Front().Start
	}
	return max(end, snd.sndUna)
}
