package subflow

import "mpanalyze/internal/seq"

// Clear makes f a flow of which nothing is known. The memory of its short lists
// is used again.
func (f *Flow) Clear() {
	a, b := f.Senders[A].lists(), f.Senders[B].lists()
	*f = Flow{}
	f.Senders[A].give(a)
	f.Senders[B].give(b)
}

// lists are those of a half, without elements.
type lists struct {
	stamps   []stamp
	inflight seq.List[flight]
	sacked   seq.Set[seq.SSN]
	holes    seq.List[hole]
	copies   []rexmit
}

func (h *Sender) lists() lists {
	return lists{
		seq.Reuse(h.stamps.buf), h.inflight.list.Reuse(), h.sacked.Reuse(),
		h.holes.list.Reuse(), seq.Reuse(h.Loss.copies),
	}
}

func (h *Sender) give(l lists) {
	h.stamps.buf, h.inflight.list, h.sacked, h.holes.list, h.Loss.copies = l.stamps, l.inflight, l.sacked, l.holes, l.copies
}
