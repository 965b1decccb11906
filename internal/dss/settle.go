package dss

import "mpanalyze/internal/seq"

// InOrder adds to f the chunks that came into order at time now (ns): since then all
// data below them has been seen. It is called after the payload of a packet. The chunks
// are valid until the next packet.
func (sp *Space) InOrder(now int64, f *Result) {
	if !sp.rcvNxtMoved {
		return
	}
	for _, sub := range sp.active {
		f.InOrder = sub.markInOrder(sp.rcvNxt, now, f.InOrder)
	}
	sp.rcvNxtMoved = false
}

// markInOrder sets the time of the chunks that end at or below rcvNxt, and appends them
// to buf.
func (sub *SubflowSpace) markInOrder(rcvNxt seq.DSN, now int64, buf []*Chunk) []*Chunk {
	for run := sub.chunks.Slice(sub.firstNotInOrder); len(run) > 0; run = sub.chunks.Slice(sub.firstNotInOrder) {
		n := 0
		for ; n < len(run) && run[n].Data.End <= rcvNxt; n++ {
			if c := &run[n]; c.InOrder == 0 {
				c.InOrder = now
				buf = append(buf, c)
			}
		}
		if n == 0 {
			return buf
		}
		sub.firstNotInOrder = sub.chunks.Skip(sub.firstNotInOrder, n)
		if n < len(run) {
			return buf
		}
	}
	return buf
}

// SubflowUna notes that sub's data is acknowledged on the subflow up to una (SND.UNA
// there), and drops the mappings far below.
func (sp *Space) SubflowUna(sub *SubflowSpace, una seq.SSN) {
	sub.sndUna = una
	if sp.manySettled(sub) { // chunks may have waited only for this acknowledgment
		sp.settleDue = true
	}
	sub.maps.dropBelow(una - keepBehind)
}

// OnSettled makes f take the settled chunks: see [Space.EndPacket].
func (sp *Space) OnSettled(f func(*SubflowSpace, []Chunk)) { sp.onSettled = f }

// SettleLazily lets settled chunks wait, up to 31 on each subflow or an eighth of all.
// It is for connections without a chunk observer.
func (sp *Space) SettleLazily() { sp.settleLater = 31 }

// manySettled reports whether more chunks of sub are DATA_ACKed than may wait.
func (sp *Space) manySettled(sub *SubflowSpace) bool {
	n := int(sub.dataAckedChunks)
	return n > sp.settleLater && (sp.settleLater == 0 || n > sub.chunks.Len()/8)
}

// EndPacket drops the chunks that the packet settled, those of each subflow in their
// order. The function of [Space.OnSettled] gets them in runs; in a run each chunk
// continues the data of the one before. A chunk is settled when it is in order, DATA_ACKed
// and acknowledged on its subflow: nothing about it can change. If too many chunks are
// left, it also drops the oldest. Chunks in the [Result] of the packet stay valid until
// the next packet.
func (sp *Space) EndPacket() {
	if sp.settleDue {
		sp.settleAll(false)
	}
}

// Close drops every chunk as EndPacket does.
func (sp *Space) Close() { sp.settleAll(true) }

// settleAll drops the settled chunks of each subflow; with all set, every chunk.
func (sp *Space) settleAll(all bool) {
	sp.settleDue = false
	for _, sub := range sp.subflows {
		sp.settle(sub, all)
	}
}

// settle is settleAll for one subflow.
func (sp *Space) settle(sub *SubflowSpace, all bool) {
	for {
		run := sub.settledRun()
		if len(run) == 0 {
			if !all && sub.excessChunks() <= 0 || sub.chunks.Len() == 0 {
				return
			}
			run = sub.chunks.FirstSlice()[:1]
			sp.dropUnsettled(&run[0])
		}
		sub.keepSettled(seq.Range[seq.DSN]{Start: run[0].Data.Start, End: run[len(run)-1].Data.End})
		if sp.onSettled != nil {
			sp.onSettled(sub, run)
		}
		sub.popChunks(len(run))
	}
}

// settledRun returns the first settled chunks that are neighbours in memory and in the
// data. It also checks sndUna, because the subflow's acknowledgment may have come
// before the mapping of its data.
func (sub *SubflowSpace) settledRun() []Chunk {
	chunks := sub.chunks.FirstSlice()
	chunks = chunks[:min(len(chunks), int(min(sub.firstNotDataAcked, sub.firstNotInOrder)-sub.chunks.First()))]
	for n := range chunks {
		c := &chunks[n]
		if n > 0 && c.Data.Start != chunks[n-1].Data.End || c.Acked == 0 && c.SSN+seq.SSN(c.Data.Len()) > sub.sndUna {
			return chunks[:n]
		}
	}
	return chunks
}

// popChunks drops the first n chunks.
func (sub *SubflowSpace) popChunks(n int) {
	sub.chunks.Pop(n)
	first := sub.chunks.First()
	sub.firstNotDataAcked, sub.firstNotInOrder = max(sub.firstNotDataAcked, first), max(sub.firstNotInOrder, first)
	sub.dataAckedChunks = max(0, sub.dataAckedChunks-int32(n))
}

// dropUnsettled subtracts c, which is not settled, from the counts of outstanding
// segments, because c is dropped before a DATA_ACK covers it.
func (sp *Space) dropUnsettled(c *Chunk) {
	if c.DataAcked != 0 {
		return
	}
	sp.OutstandingSegments -= int64(c.Segments)
	if c.Acked != 0 {
		sp.SubflowAckedSegments -= int64(c.Segments)
	}
	c.Segments = 0
}

// BytesAbove returns how many bytes at or above p were seen.
func (sp *Space) BytesAbove(p seq.DSN) int64 { return sp.seen.SizeAbove(p) }
