package dss

import (
	"slices"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// heard is the DATA_ACK that was read last. Most packets repeat it.
type heard struct {
	wire uint64
	form mptcp.DSSFlags // those of ackForm that it had; unheard where it is not to be known again
	ok   bool           // there was one, and its number fitted
	at   seq.DSN
}

// ackForm are the flags that say whether there is a DATA_ACK and how wide.
const ackForm = mptcp.DSSAck | mptcp.DSSAck8

// unheard is the form of no DATA_ACK.
const unheard = ^mptcp.DSSFlags(0)

// ReadDataAck takes the DATA_ACK of option d, see [Space.LastDataAck], and reports whether it
// is the highest so far. That must then be given to [Space.DataAck], or be
// forgotten by [Space.ForgetDataAck]: one that repeats it is no news.
func (sp *Space) ReadDataAck(d *mptcp.DSS) (news bool) {
	return (d.DataAck != sp.heard.wire || d.Flags&ackForm != sp.heard.form) && sp.hear(d)
}

// ForgetDataAck makes the latest DATA_ACK one that was never heard.
func (sp *Space) ForgetDataAck() { sp.heard.form = unheard }

// LastDataAck returns the position of the DATA_ACK that the latest option carried; ok
// is false where there was none or its number fits no window.
func (sp *Space) LastDataAck() (p seq.DSN, ok bool) { return sp.heard.at, sp.heard.ok }

// hear reads a DATA_ACK other than the one before.
func (sp *Space) hear(d *mptcp.DSS) (news bool) {
	h := heard{wire: d.DataAck, form: d.Flags & ackForm}
	if d.Has(mptcp.DSSAck) {
		if h.at, h.ok = sp.Position(d.DataAck, d.Has(mptcp.DSSAck8)); !h.ok {
			h.form = unheard // each stray is counted
		}
	}
	sp.heard = h
	return h.ok && sp.Advances(h.at)
}

// Advances reports whether a DATA_ACK up to p is the highest so far.
func (sp *Space) Advances(p seq.DSN) bool { return p > sp.ack || !sp.acked }

// floor returns the position below which everything was DATA_ACKed.
func (sp *Space) floor() seq.DSN { return sp.ack }

// DataAck takes a DATA_ACK up to position p at time now, adds to f the chunks
// that it covers for the first time, which are valid until the next packet, and
// reports whether it is the highest so far.
func (sp *Space) DataAck(p seq.DSN, now int64, f *Result) (advanced bool) {
	if !sp.Advances(p) {
		return false
	}
	if now < sp.lastCopy {
		sp.delivered(p, now)
	}
	passed := seq.Range[seq.DSN]{Start: sp.floor(), End: p}
	sp.OutstandingBytes -= sp.seen.Overlap(passed)
	sp.SubflowAckedBytes -= sp.held.DropBelow(p) // nothing that was DATA_ACKed is held
	sp.ack, sp.acked = p, true
	for _, l := range sp.working {
		sp.cover(l, now, f)
	}
	sp.accepted(sp.dataEnd(p), now)
	if len(sp.working) > fewLanes {
		sp.rest()
	}
	return true
}

// cover marks the chunks of l that the DATA_ACK covers, and adds them to f.
func (sp *Space) cover(l *SubflowSpace, now int64, f *Result) {
	for {
		if c := l.chunks.At(l.nextAcked); c == nil || c.Data.End > sp.ack {
			return
		}
		rest, n := l.chunks.Slice(l.nextAcked), 1
		for n < len(rest) && rest[n].Data.End <= sp.ack {
			n++
		}
		sp.coverRun(rest[:n], now, f)
		l.covered += n
		l.nextAcked = l.chunks.Skip(l.nextAcked, n)
		sp.ended = sp.ended || sp.isDue(l)
		if n < len(rest) {
			return
		}
	}
}

// coverRun is cover for chunks that stand side by side, one at least.
func (sp *Space) coverRun(run []Chunk, now int64, f *Result) {
	had, n := len(f.DataAcked), len(run)
	f.DataAcked = slices.Grow(f.DataAcked, n)[:had+n]
	covered := f.DataAcked[had:]
	waiting, acked := int64(0), int64(0)
	for i := range min(len(run), len(covered)) { // which are equal
		c := &run[i]
		c.DataAcked = now
		waiting += int64(c.Segments)
		if c.Acked != 0 {
			acked += int64(c.Segments)
		}
		covered[i] = c
	}
	sp.OutstandingSegments -= waiting
	sp.SubflowAckedSegments -= acked
}

// accepted notes that the receiver has all data below p. What of it was not
// captured delays nothing any more: the chunks that waited for it are in
// order, but since when is not known.
func (sp *Space) accepted(p seq.DSN, now int64) {
	if p > sp.nxt {
		sp.AckedMissing += int64(p - sp.nxt)
		sp.nxt = p
	}
	if p <= sp.edge {
		return
	}
	sp.edge = sp.seen.FirstGap(p)
	sp.AcksOverHoles++
	for _, l := range sp.working {
		sp.passed = l.order(sp.edge, now, sp.passed[:0])
	}
}

// dataEnd returns p less the DATA_FIN that it may acknowledge.
func (sp *Space) dataEnd(p seq.DSN) seq.DSN {
	if sp.finSeen && p > sp.fin {
		return sp.fin
	}
	return p
}
