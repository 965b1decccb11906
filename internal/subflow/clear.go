package subflow

import "mpanalyze/internal/seq"

// Clear makes f a flow of which nothing is known. The memory of its short lists
// is used again.
func (f *Flow) Clear() {
	a, b := f.Half[A].lists(), f.Half[B].lists()
	*f = Flow{}
	f.Half[A].give(a)
	f.Half[B].give(b)
}

// lists are those of a half, without elements.
type lists struct {
	stamps   []stamp
	inflight []flight
	sacked   seq.Set[seq.SSN]
	holes    []hole
	copies   []rexmit
}

func (h *Half) lists() lists {
	return lists{
		seq.Emptied(h.stamps.buf), seq.Emptied(h.inflight.buf), h.sacked.Emptied(),
		seq.Emptied(h.holes.list), seq.Emptied(h.Loss.copies),
	}
}

func (h *Half) give(l lists) {
	h.stamps.buf, h.inflight.buf, h.sacked, h.holes.list, h.Loss.copies = l.stamps, l.inflight, l.sacked, l.holes, l.copies
}
