package dss

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// lastDataAck is the DATA_ACK that was read last. Most packets repeat it.
type lastDataAck struct {
	wire uint64
	form mptcp.DSSFlags // its flags in ackForm; with noAckForm the next DATA_ACK counts as a different one
	ok   bool           // the option had a DATA_ACK, and its number fits the window
	pos  seq.DSN
}

// ackForm are the flags that tell whether an option has a DATA_ACK and how wide it is.
const ackForm = mptcp.DSSAck | mptcp.DSSAck8

// noAckForm differs from the form of all options.
const noAckForm = ^mptcp.DSSFlags(0)

// ReadDataAck reads the DATA_ACK of option d, which [Space.LastDataAck] then returns.
// It reports whether this is the highest DATA_ACK so far. The caller must then pass it
// to [Space.DataAck] or undo the call by [Space.ForgetDataAck], because a repetition of
// the same number is not reported again.
func (sp *Space) ReadDataAck(d *mptcp.DSS) (highest bool) {
	return (d.DataAck != sp.lastAck.wire || d.Flags&ackForm != sp.lastAck.form) && sp.readNewDataAck(d)
}

// ForgetDataAck makes the space treat the next DATA_ACK as one that it has not read.
func (sp *Space) ForgetDataAck() { sp.lastAck.form = noAckForm }

// LastDataAck returns the position of the DATA_ACK in the option that was read last. ok
// is false where the option had none or its number does not fit the window.
func (sp *Space) LastDataAck() (p seq.DSN, ok bool) { return sp.lastAck.pos, sp.lastAck.ok }

// readNewDataAck reads a DATA_ACK that differs from the one before.
func (sp *Space) readNewDataAck(d *mptcp.DSS) (highest bool) {
	h := lastDataAck{wire: d.DataAck, form: d.Flags & ackForm}
	if d.Has(mptcp.DSSAck) {
		if h.pos, h.ok = sp.Position(d.DataAck, d.Has(mptcp.DSSAck8)); !h.ok {
			h.form = noAckForm // it may fit the window when it is repeated
		}
	}
	sp.lastAck = h
	return h.ok && sp.Advances(h.pos)
}

// Advances reports whether p is above all DATA_ACKs so far.
func (sp *Space) Advances(p seq.DSN) bool { return p > sp.sndUna || !sp.hasDataAck }

// DataAck takes a DATA_ACK up to position p at time now (ns). It adds to f the chunks
// that are now DATA_ACKed; they are valid until the next packet. It reports whether p
// is the highest DATA_ACK so far.
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
		rest := sub.chunks.Slice(sub.firstNotDataAcked)
		n := sp.markRunDataAcked(rest, now, f)
		if n == 0 {
			return
		}
		sub.dataAckedChunks += int32(n)
		sub.firstNotDataAcked = sub.chunks.Skip(sub.firstNotDataAcked, n)
		sp.settleDue = sp.settleDue || sp.manySettled(sub)
		if n < len(rest) {
			return
		}
	}
}

// markRunDataAcked is markDataAcked for chunks that are neighbours in memory. It returns
// how many of them the DATA_ACK covers.
func (sp *Space) markRunDataAcked(run []Chunk, now int64, f *Result) (n int) {
	for n < len(run) && run[n].Data.End <= sp.sndUna {
		c := &run[n]
		c.DataAcked = now
		sp.OutstandingSegments -= int64(c.Segments)
		if c.Acked != 0 {
			sp.SubflowAckedSegments -= int64(c.Segments)
		}
		f.DataAcked = append(f.DataAcked, c)
		n++
	}
	return n
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
