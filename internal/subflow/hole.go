package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// hole is a run of positions that was passed over: something above it was seen
// first.
type hole struct {
	seq.Range[seq.SSN]
	opened int64  // when that was seen, ns
	tsval  uint32 // of the packet that was seen; valid with hasTS
	hasTS  bool
	acked  bool // it was an acknowledgment: the data itself was captured late, or never
}

// defaultPatience is how long reordering may fill a hole where no round trip
// is known, in nanoseconds.
const defaultPatience = 10e6

// tooLate reports whether packet s, which fills a part of the hole, can be no
// reordered original but only a copy that was sent because the original was
// lost.
//
// With timestamps the sender's own clock decides: an original left before the
// packet that opened the hole, so its TSval is not greater; a copy left at
// least a round trip later, when the news of the hole had come back, so its is.
//
// Without them that same round trip decides: news of the hole travels from the
// capture point to the receiver and back past it to the sender, and the copy
// from there, which takes a whole round trip wherever the capture was taken.
// Reordering delays a packet by much less, else the sender itself would take
// it for a loss (RFC 8985, Section 6.2 waits a quarter of the round trip). The
// line is drawn half way: patience is half the smoothed round trip, 0 where
// none is known.
func (x *hole) tooLate(s *packet.Segment, patience int64) bool {
	if x.hasTS && s.Have&packet.HasTimestamps != 0 {
		return int32(s.TSVal-x.tsval) > 0
	}
	if patience == 0 {
		patience = defaultPatience
	}
	return s.Time-x.opened > patience
}

// maxHoles bounds the holes that one direction remembers. At the bound the
// oldest are forgotten, and what fills one of these counts as a retransmission.
const maxHoles = 4096

// holes are the positions below the end of a stream that were never seen, in
// ascending order, without overlap.
type holes struct {
	list   seq.List[hole] // bounded by maxHoles
	missed int64          // octets of those that were acknowledged so long ago that they were dropped
}

// open adds a hole that lies above all others.
func (h *holes) open(x hole) {
	h.bound()
	h.list.Compact()
	*h.list.Push() = x
}

// bound makes room for one more. It forgets many at once, so that it seldom has to.
func (h *holes) bound() {
	if h.list.Len() >= maxHoles {
		h.list.Pop(maxHoles / 4)
	}
}

// find returns the place of the first hole that ends above p.
func (h *holes) find(p seq.SSN) seq.Place {
	return h.list.Search(func(x *hole) bool { return x.End > p })
}

// Misses reports whether any position of r was never captured, although later
// ones were.
func (h *Sender) Misses(r seq.Range[seq.SSN]) bool {
	x := h.holes.list.At(h.holes.find(r.Start))
	return x != nil && x.Start < r.End
}

// close takes the positions of r out of all holes.
func (h *holes) close(r seq.Range[seq.SSN]) {
	at := h.find(r.Start)
	if x := h.list.At(at); x != nil && x.Start < r.Start { // it keeps what lies below r
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

// forget drops the holes that lie wholly below p. Mostly there are none at all.
func (h *holes) forget(p seq.SSN) {
	for x := h.list.Front(); x != nil && x.End <= p; x = h.list.Front() {
		h.missed += x.Len()
		h.list.Pop(1)
	}
}

// NotCaptured returns how many octets of the stream were acknowledged or SACKed
// and are not in the capture, which holds others: the capture lost their packets,
// at least so many segments. It counts no FIN, and none of the holes that were
// forgotten at their bound.
func (h *Sender) NotCaptured() (octets, segments int64) {
	if h.CapturedSegments == 0 {
		return 0, 0
	}
	octets, segments = h.holes.missed, h.units(h.holes.missed)
	for gap := range h.holes.list.All() {
		x := gap.Range
		n := x.Len() - h.missing(x)
		if x.End == h.nxt && x.End == h.una && !h.finSeen { // the last position may be the FIN's
			n--
		}
		octets += n
		segments += h.units(n)
	}
	return octets, segments
}

// shift moves every position by delta.
func (h *holes) shift(delta seq.SSN) {
	for x := range h.list.All() {
		x.Start += delta
		x.End += delta
	}
}
