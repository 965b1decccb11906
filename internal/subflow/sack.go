package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// processSACK takes the SACK blocks of an ACK.
func (snd *Sender) processSACK(s *packet.Segment, ack seq.SSN, w *ackWalk) {
	if fresh, ok := snd.sackOneRange(s, ack); ok {
		snd.markSACKed(fresh, w)
	} else {
		snd.processBlocks(s, ack, w)
		snd.sacked.Bound(maxSACKed)
	}
	snd.rtxQueue.trim()
}

// SACKsHole reports whether SACKs cover data above SND.UNA, so that data below is missing at
// the receiver.
func (snd *Sender) SACKsHole() bool { return snd.sacked.Len() > 0 }

// processBlocks is processSACK for any blocks.
func (snd *Sender) processBlocks(s *packet.Segment, ack seq.SSN, w *ackWalk) {
	var ranges [len(s.SACK)]seq.Range[seq.SSN]
	blocks := ranges[:0]
	for _, b := range s.SACK[:s.NSACK] {
		blocks = append(blocks, snd.rangeOf(b))
	}
	arrived := s.SACK[:s.NSACK]
	if snd.isDSACK(blocks, ack, !w.Advanced && snd.mayStandAlone(s, ack)) {
		snd.DSACKBlocks++
		snd.Loss.dsack(snd, blocks[0])
		blocks, arrived = blocks[1:], arrived[1:]
	}
	if len(arrived) > 0 {
		snd.lastSACKBlock = arrived[0]
	}
	snd.noteLatest(s, ack)
	sortRanges(blocks)
	for _, r := range blocks {
		snd.addSACK(r, w)
	}
}

// sackOneRange takes the most frequent SACK option while a loss is repaired: a single
// block above SND.UNA whose new positions are one range. It returns that range. The
// block reports no duplicate, because it has new positions. For any other option it
// returns false and changes nothing. With 5 % loss this saves 6 % of the CPU time.
func (snd *Sender) sackOneRange(s *packet.Segment, ack seq.SSN) (fresh seq.Range[seq.SSN], ok bool) {
	r := snd.rangeOf(s.SACK[0])
	if s.NSACK != 1 || r.Start <= snd.sndUna || r.End > snd.sndNxt {
		return fresh, false
	}
	if fresh, ok = snd.sacked.Grow(r); !ok || fresh.Empty() {
		return fresh, false
	}
	snd.sacked.Bound(maxSACKed)
	snd.lastSACKBlock = s.SACK[0]
	snd.noteLatest(s, ack)
	return fresh, true
}

// noteLatest notes an ACK with SACK blocks if it is the latest of them.
func (snd *Sender) noteLatest(s *packet.Segment, ack seq.SSN) {
	if s.TSVal != snd.latestSACKTSval {
		if !snd.isLate(s, ack) {
			snd.latestSACKTSval, snd.latestSACKIPID = s.TSVal, s.IPID
		}
	} else if int16(s.IPID-snd.latestSACKIPID) > 0 && ack >= snd.sndUna {
		snd.latestSACKIPID = s.IPID
	}
}

func (snd *Sender) rangeOf(b packet.SACKBlock) seq.Range[seq.SSN] {
	return seq.Range[seq.SSN]{Start: snd.ssn(b.Left), End: snd.ssn(b.Right)}
}

// sortRanges sorts the few blocks of an option. The newest comes first on the wire, but
// the sample comes from the lowest.
func sortRanges(r []seq.Range[seq.SSN]) {
	for i := 1; i < len(r); i++ {
		for j := i; j > 0 && r[j].Start < r[j-1].Start; j-- {
			r[j], r[j-1] = r[j-1], r[j]
		}
	}
}

// isDSACK reports whether the first block reports a duplicate: it lies below the
// cumulative ACK, or inside the second block (RFC 2883, Section 4). If alone is set,
// the second block may be missing: then a single block that was SACKed before is a
// report, too.
func (snd *Sender) isDSACK(blocks []seq.Range[seq.SSN], ack seq.SSN, alone bool) bool {
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
	return alone && first.Start >= ack && snd.sacked.Covers(first)
}

// mayStandAlone reports whether s may lack the block that contains a reported
// duplicate: timestamps and an 8-byte DATA_ACK leave room for one block only. A block
// reports no duplicate if it repeats the block before, or if a later ACK overtook its
// ACK: then it only reports an arrival again.
func (snd *Sender) mayStandAlone(s *packet.Segment, ack seq.SSN) bool {
	const optionRoom, blockLen = 40, 8 // RFC 9293, Section 3.1; RFC 2018, Section 3
	return s.OptLen > optionRoom-blockLen && s.SACK[0] != snd.lastSACKBlock && !snd.isLate(s, ack) &&
		!(s.TSVal == snd.latestSACKTSval && snd.isYounger(s, snd.rangeOf(s.SACK[0])))
}

// isYounger reports whether r, from s, is an earlier and shorter form of a range of the
// scoreboard. Then s may be older than the latest ACK: timestamps do not show the order
// of ACKs within one tick. A retransmission may have arrived twice, so if r is one, the IP
// identification must show that s is older.
func (snd *Sender) isYounger(s *packet.Segment, r seq.Range[seq.SSN]) bool {
	if snd.sacked.Contains(r.Start-1) || !snd.sacked.Contains(r.End) {
		return false
	}
	return !snd.Loss.isRexmit(r) || int16(s.IPID-snd.latestSACKIPID) < 0
}

// isLate reports whether a later ACK overtook s, which carries SACK blocks.
func (snd *Sender) isLate(s *packet.Segment, ack seq.SSN) bool {
	return ack < snd.sndUna || int32(s.TSVal-snd.latestSACKTSval) < 0 && s.Have&packet.HasTimestamps != 0 && snd.latestSACKTSval != 0
}

// addSACK takes a block. Blocks grow by a segment with each ACK, so it looks only at
// what is new.
func (snd *Sender) addSACK(r seq.Range[seq.SSN], w *ackWalk) {
	r.Start = max(r.Start, snd.sndUna)
	if r.Empty() || r.End > snd.sndNxt {
		return
	}
	if fresh, ok := snd.sacked.Grow(r); ok {
		snd.markSACKed(fresh, w)
		return
	}
	snd.sacked.Missing(r, func(part seq.Range[seq.SSN]) bool {
		snd.markSACKed(part, w)
		return true
	})
	snd.sacked.Add(r)
}

// markSACKed marks a part of the stream that was SACKed for the first time.
func (snd *Sender) markSACKed(r seq.Range[seq.SSN], w *ackWalk) {
	q := &snd.rtxQueue
	at := q.find(r.Start)
	for ; ; at = q.list.Next(at) {
		p := q.list.At(at)
		if p == nil || p.Start >= r.End {
			break
		}
		if p.marks&sacked != 0 { // the scoreboard lost it at its bound
			continue
		}
		if p.Start < r.Start {
			at = q.split(at, r.Start)
			continue
		}
		if p.End > r.End {
			at = q.split(at, r.End)
			p = q.list.At(at)
		}
		p.marks |= sacked
		snd.Loss.highestSACK = max(snd.Loss.highestSACK, p.End)
		if p.marks&(rexmitted|untimed) == 0 {
			if snd.Loss.maybeSpurious && p.End <= snd.Loss.recovery {
				snd.Loss.undoTimeout(snd)
			}
			if w.sackedSent == 0 {
				w.sackedSent = p.sent
			}
		}
		w.noteSent(p)
		w.addAcked(p.Range)
	}
	q.hint = at // the next block is longer and ends here
}
