package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// selective takes the SACK blocks of an ACK and returns how many segments
// they report as duplicates.
func (h *Half) selective(s *packet.Segment, ack seq.SSN, advanced bool, w *ackWalk) (dup int64) {
	blocks := s.SACK[:s.NSACK]
	first := h.block(blocks[0])
	if h.isDSACK(blocks, first, ack, advanced) {
		h.DSACKBlocks++
		dup = h.Loss.dsack(h, first)
		blocks = blocks[1:]
	}
	if s.NSACK == 1 {
		h.lastBlock = s.SACK[0]
	} else {
		h.lastBlock = packet.SACKBlock{}
	}
	for _, b := range blocks {
		h.sack(h.block(b), w)
	}
	h.sacked.DropOldest(maxSACKed)
	return dup
}

func (h *Half) block(b packet.SACKBlock) seq.Range[seq.SSN] {
	return seq.Range[seq.SSN]{Start: h.SSN(b.Left), End: h.SSN(b.Right)}
}

// isDSACK tells whether the first block reports a duplicate. RFC 2883,
// Section 4: it lies below the cumulative ACK, or inside the second block.
// Where timestamps and an 8-octet DATA_ACK leave room for one block only, the
// block that should contain it is missing: then a block wholly inside what was
// SACKed before, on an ACK that brings nothing else and does not merely repeat
// the last one, is a duplicate report too.
func (h *Half) isDSACK(blocks []packet.SACKBlock, first seq.Range[seq.SSN], ack seq.SSN, advanced bool) bool {
	if first.Empty() {
		return false
	}
	if first.End <= ack {
		return true
	}
	if len(blocks) > 1 {
		second := h.block(blocks[1])
		return first.Start >= second.Start && first.End <= second.End
	}
	return !advanced && blocks[0] != h.lastBlock && first.Start >= ack && h.sacked.Covers(first)
}

// sack marks what a block covers for the first time. Blocks grow by a segment
// with each ACK, so only what is new in them is looked at.
func (h *Half) sack(r seq.Range[seq.SSN], w *ackWalk) {
	r.Start = max(r.Start, h.una)
	if r.Empty() || r.End > h.nxt {
		return
	}
	h.sacked.Missing(r, func(part seq.Range[seq.SSN]) bool {
		h.mark(part, w)
		return true
	})
	h.sacked.Add(r)
}

// mark notes that a part of the stream was SACKed.
func (h *Half) mark(r seq.Range[seq.SSN], w *ackWalk) {
	for i := h.inflight.find(r.Start); i < h.inflight.len() && h.inflight.at(i).Start < r.End; i++ {
		p := h.inflight.at(i)
		if p.Start < r.Start {
			h.inflight.split(i, r.Start)
			continue
		}
		if p.End > r.End {
			h.inflight.split(i, r.End)
			p = h.inflight.at(i)
		}
		p.state |= sacked
		h.Loss.selectively(p)
		if p.state&rexmitted == 0 {
			if w.selective == 0 {
				w.selective = p.first
			}
			w.newest = max(w.newest, p.first)
		}
		h.cover(p.Range)
	}
}
