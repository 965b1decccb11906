package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// selective takes the SACK blocks of an ACK.
func (h *Sender) selective(s *packet.Segment, ack seq.SSN, w *ackWalk) {
	if fresh, ok := h.grows(s, ack); ok {
		h.markSACKed(fresh, w)
	} else {
		h.blocks(s, ack, w)
		h.sacked.Bound(maxSACKed)
	}
	h.inflight.trim()
}

// lengthens takes an ACK that acknowledges no more than the one before, and whose
// only block is the one that grew last and now ends one piece higher: nearly all
// while a loss is repaired. It returns false, and has changed nothing, for any other.
func (h *Sender) lengthens(s *packet.Segment, out *Ack) bool {
	f, g := &h.inflight, h.sacked.Grown()
	p := f.list.At(f.hint)
	if s.NSACK != 1 || p == nil || cap(out.NewlyAcked) == 0 {
		return false
	}
	b, grown := s.SACK[0], h.sacked.Range(g)
	if uint32(b.Right-h.isn) != uint32(p.End) || p.marks&marked != 0 ||
		uint32(b.Left-h.isn) != uint32(grown.Start) || grown.Start <= h.una || !h.sacked.Extend(g, p.Range) {
		return false
	}
	p.marks |= sacked
	f.hint = f.list.Next(f.hint)
	if p.End > h.Loss.highestSACK {
		h.Loss.highestSACK = p.End
	}
	if p.sent > h.Loss.delivered {
		h.Loss.delivered = p.sent
	}
	h.lastBlock = b
	h.noteLatest(s, h.una)
	rtt := s.Time - p.sent
	out.New, out.Advanced, out.Source, out.RTT, out.NewestRTT = true, false, Selective, rtt, rtt
	out.NewlyAcked = out.NewlyAcked[:1]
	out.NewlyAcked[0] = p.Range
	h.RTT.Add(rtt)
	return true
}

// blocks is selective for any blocks.
func (h *Sender) blocks(s *packet.Segment, ack seq.SSN, w *ackWalk) {
	var ranges [len(s.SACK)]seq.Range[seq.SSN]
	blocks := ranges[:0]
	for _, b := range s.SACK[:s.NSACK] {
		blocks = append(blocks, h.block(b))
	}
	arrived := s.SACK[:s.NSACK]
	if h.isDSACK(blocks, ack, !w.Advanced && h.mayStandAlone(s, ack)) {
		h.DSACKBlocks++
		h.Loss.dsack(h, blocks[0])
		blocks, arrived = blocks[1:], arrived[1:]
	}
	if len(arrived) > 0 {
		h.lastBlock = arrived[0]
	}
	h.noteLatest(s, ack)
	ascend(blocks)
	for _, r := range blocks {
		h.sack(r, w)
	}
}

// grows takes the block of the ACK that is usual while a loss is repaired: its
// only block lies above all that was acknowledged, and what it brings is one
// run, which is returned. As that run is news the block reports no duplicate. ok
// is false, and nothing has changed, for any other.
func (h *Sender) grows(s *packet.Segment, ack seq.SSN) (fresh seq.Range[seq.SSN], ok bool) {
	r := h.block(s.SACK[0])
	if s.NSACK != 1 || r.Start <= h.una || r.End > h.nxt {
		return fresh, false
	}
	if fresh, ok = h.sacked.Grow(r); !ok || fresh.Empty() {
		return fresh, false
	}
	h.sacked.Bound(maxSACKed)
	h.lastBlock = s.SACK[0]
	h.noteLatest(s, ack)
	return fresh, true
}

// noteLatest notes an ACK with SACK blocks that is the latest of them.
func (h *Sender) noteLatest(s *packet.Segment, ack seq.SSN) {
	if s.TSVal != h.sackStamp {
		if !h.isLate(s, ack) {
			h.sackStamp, h.sackID = s.TSVal, s.IPID
		}
	} else if int16(s.IPID-h.sackID) > 0 && ack >= h.una {
		h.sackID = s.IPID
	}
}

func (h *Sender) block(b packet.SACKBlock) seq.Range[seq.SSN] {
	return seq.Range[seq.SSN]{Start: h.ssn(b.Left), End: h.ssn(b.Right)}
}

// ascend sorts the few blocks of an option: the wire has the newest first, and
// a sample comes from the lowest.
func ascend(r []seq.Range[seq.SSN]) {
	for i := 1; i < len(r); i++ {
		for j := i; j > 0 && r[j].Start < r[j-1].Start; j-- {
			r[j], r[j-1] = r[j-1], r[j]
		}
	}
}

// isDSACK tells whether the first block reports a duplicate. RFC 2883,
// Section 4: it lies below the cumulative ACK, or inside the second block. The
// second may be missing where the ACK brings nothing else and mayStandAlone
// says so: then a block wholly inside what was SACKed before is a report too.
func (h *Sender) isDSACK(blocks []seq.Range[seq.SSN], ack seq.SSN, alone bool) bool {
	first := blocks[0]
	if first.Empty() {
		return false
	}
	if first.End <= ack {
		return true
	}
	if len(blocks) > 1 {
		return first.Start >= blocks[1].Start && first.End <= blocks[1].End
	}
	return alone && first.Start >= ack && h.sacked.Covers(first)
}

// mayStandAlone reports whether the block that contains a reported duplicate
// can be missing from s: where timestamps and an 8-octet DATA_ACK leave room
// for one block only. A block that is repeated, or whose ACK was overtaken by a
// later one, is no news of a duplicate but old news of an arrival.
func (h *Sender) mayStandAlone(s *packet.Segment, ack seq.SSN) bool {
	const optionRoom, blockLen = 40, 8 // RFC 9293, Section 3.1; RFC 2018, Section 3
	return s.OptLen > optionRoom-blockLen && s.SACK[0] != h.lastBlock && !h.isLate(s, ack) &&
		!(s.TSVal == h.sackStamp && h.isYounger(s, h.block(s.SACK[0])))
}

// isYounger reports whether r, which s brings, is what a range of the
// scoreboard was before it grew: timestamps do not tell the order of ACKs
// within a tick. Where r is a copy, which may well have arrived twice, the
// identification that the host gives its packets has to show that s is older.
func (h *Sender) isYounger(s *packet.Segment, r seq.Range[seq.SSN]) bool {
	if h.sacked.Contains(r.Start-1) || !h.sacked.Contains(r.End) {
		return false
	}
	return !h.Loss.isCopy(r) || int16(s.IPID-h.sackID) < 0
}

// isLate reports whether a later ACK overtook s, which carries SACK blocks.
func (h *Sender) isLate(s *packet.Segment, ack seq.SSN) bool {
	return ack < h.una || int32(s.TSVal-h.sackStamp) < 0 && s.Have&packet.HasTimestamps != 0 && h.sackStamp != 0
}

// sack takes a block. Blocks grow by a segment with each ACK, so only what is
// new in them is looked at.
func (h *Sender) sack(r seq.Range[seq.SSN], w *ackWalk) {
	r.Start = max(r.Start, h.una)
	if r.Empty() || r.End > h.nxt {
		return
	}
	if fresh, ok := h.sacked.Grow(r); ok {
		h.markSACKed(fresh, w)
		return
	}
	h.sacked.Missing(r, func(part seq.Range[seq.SSN]) bool {
		h.markSACKed(part, w)
		return true
	})
	h.sacked.Add(r)
}

// markSACKed notes that a part of the stream was SACKed for the first time.
func (h *Sender) markSACKed(r seq.Range[seq.SSN], w *ackWalk) {
	f := &h.inflight
	at := f.find(r.Start)
	for ; ; at = f.list.Next(at) {
		p := f.list.At(at)
		if p == nil || p.Start >= r.End {
			break
		}
		if p.marks&sacked != 0 { // the scoreboard forgot it at its bound
			continue
		}
		if p.Start < r.Start {
			at = f.split(at, r.Start)
			continue
		}
		if p.End > r.End {
			at = f.split(at, r.End)
			p = f.list.At(at)
		}
		p.marks |= sacked
		h.Loss.highestSACK = max(h.Loss.highestSACK, p.End)
		if p.marks&rexmitted == 0 {
			if h.Loss.doubtful && p.End <= h.Loss.recovery {
				h.Loss.absolve(h)
			}
			if w.selective == 0 {
				w.selective = p.sent
			}
		}
		w.latest(p)
		w.cover(p.Range)
	}
	f.hint = at // where a block that grows goes on
}
