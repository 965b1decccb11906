package dss

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// wireAck is a DATA_ACK as on the wire, and its position. The zero value is that of an
// option without a DATA_ACK.
type wireAck struct {
	number uint64
	form   mptcp.DSSFlags // its flags in ackForm
	ok     bool
	pos    seq.DSN
}

// ackForm are the flags that tell whether an option has a DATA_ACK and how wide it is.
const ackForm = mptcp.DSSAck | mptcp.DSSAck8

// ReadDataAck returns the position of the DATA_ACK in option d, and whether it advances: see
// [Space.Advances]. ok is false where d has none or its number does not fit the window.
// Only [Space.TakeDataAck] takes it.
func (sp *Space) ReadDataAck(d *mptcp.DSS) (p seq.DSN, ok, advances bool) {
	if a := &sp.latestAck; d.DataAck == a.number && d.Flags&ackForm == a.form { // as in most packets
		return a.pos, a.ok, false
	}
	if !d.Has(mptcp.DSSAck) {
		return 0, false, false
	}
	p, ok = sp.Position(d.DataAck, d.Has(mptcp.DSSAck8))
	return p, ok, ok && sp.Advances(p)
}

// TakeDataAck is [Space.DataAck] for the DATA_ACK of option d at position p.
func (sp *Space) TakeDataAck(d *mptcp.DSS, p seq.DSN, now int64, f *Result) (advanced bool) {
	sp.latestAck = wireAck{d.DataAck, d.Flags & ackForm, true, p}
	return sp.DataAck(p, now, f)
}

// Advances reports whether p is above all DATA_ACKs so far.
func (sp *Space) Advances(p seq.DSN) bool { return p > sp.sndUna || !sp.hasDataAck }

// DataAck takes a DATA_ACK up to position p at time now (ns). It adds to f the chunks
// that are now DATA_ACKed; they are valid until the next packet. It reports whether p
// advances: see [Space.Advances].
func (sp *Space) DataAck(p seq.DSN, now int64, f *Result) (advanced bool) {
	if !sp.Advances(p) {
		return false
	}
	if now < sp.lastArrival {
		sp.decideByDataAck(p, now)
	}
	f.Uncaptured = sp.dataEnd(p) > sp.rcvNxt
	passed := seq.Range[seq.DSN]{Start: sp.sndUna, End: p}
	sp.OutstandingBytes -= sp.seen.Overlap(passed)
	sp.SubflowAckedBytes -= sp.subflowAcked.DropBelow(p) // the set holds only what is not DATA_ACKed
	sp.sndUna, sp.hasDataAck = p, true
	for _, sub := range sp.active {
		sp.markDataAcked(sub, now, f)
	}
	sp.advanceRcvNxt(sp.dataEnd(p), now)
	if len(sp.active) > minActive {
		sp.deactivate()
	}
	return true
}

// markDataAcked marks the chunks of sub that the highest DATA_ACK covers, and adds them
// to f.
func (sp *Space) markDataAcked(sub *SubflowSpace, now int64, f *Result) {
	for {
		run, n := sub.chunks.Slice(sub.firstNotDataAcked), 0
		for ; n < len(run) && run[n].Data.End <= sp.sndUna; n++ {
			c := &run[n]
			c.DataAcked = now
			sp.OutstandingSegments -= int64(c.Segments)
			if c.Acked != 0 {
				sp.SubflowAckedSegments -= int64(c.Segments)
			}
			f.DataAcked = append(f.DataAcked, c)
		}
		if n == 0 {
			return
		}
		sub.dataAckedChunks += int32(n)
		sp.settleDue = sp.settleDue || sp.manySettled(sub)
		if n < len(run) {
			sub.firstNotDataAcked += seq.Place(n)
			return
		}
		sub.firstNotDataAcked = sub.chunks.Skip(sub.firstNotDataAcked, n)
	}
}

// advanceRcvNxt notes that the receiver has all data below p. Chunks may have waited
// for data that is not in the capture. They are in order now, but it is not known since
// when.
func (sp *Space) advanceRcvNxt(p seq.DSN, now int64) {
	sp.sndNxt = max(sp.sndNxt, p)
	if p <= sp.rcvNxt {
		return
	}
	sp.rcvNxt = sp.seen.FirstGap(p)
	sp.AcksOverHoles++
	for _, sub := range sp.active {
		sp.passed = sub.markInOrder(sp.rcvNxt, now, sp.passed[:0])
	}
}

// dataEnd returns p, or the position of the DATA_FIN if p lies above it.
func (sp *Space) dataEnd(p seq.DSN) seq.DSN {
	if sp.finSeen && p > sp.fin {
		return sp.fin
	}
	return p
}
