package dss

import (
	"cmp"
	"slices"

	"mpanalyze/internal/seq"
)

// addMixed enters data that is new to its subflow but that was partly sent before. It
// splits p into first transmissions and reinjections.
func (sp *Space) addMixed(sub *SubflowSpace, p *Piece, unit int64, f *Result) {
	// The gaps are collected first because the set must not change during Missing.
	sp.gaps = sp.gaps[:0]
	sp.seen.Missing(p.Data, func(gap seq.Range[seq.DSN]) bool {
		sp.gaps = append(sp.gaps, gap)
		return true
	})
	at := p.Data.Start
	for _, gap := range sp.gaps {
		sp.addReinjected(sub, p, seq.Range[seq.DSN]{Start: at, End: gap.Start}, unit, f)
		piece := f.newPiece()
		*piece = p.part(gap)
		sp.addNew(sub, piece, unit)
		at = gap.End
	}
	sp.addReinjected(sub, p, seq.Range[seq.DSN]{Start: at, End: p.Data.End}, unit, f)
}

// addNew enters data that was never sent before, at any position.
func (sp *Space) addNew(sub *SubflowSpace, p *Piece, unit int64) {
	sub.seenPlace, _ = sp.seen.Insert(p.Data)
	if p.Data.Start <= sp.rcvNxt {
		sp.rcvNxt, sp.rcvNxtMoved = max(sp.rcvNxt, sp.seen.Range(sub.seenPlace).End), true
	}
	sp.addFirstUnacked(sub, p.Data, p.SSN, unit, p.Packet, p.Time)
	if sp.boundSeen(maxRanges) {
		sub.seenPlace = sp.seen.Find(p.Data.Start)
	}
}

// boundSeen drops the oldest ranges of seen beyond n, and reports whether it dropped
// any.
func (sp *Space) boundSeen(n int) bool {
	if !sp.seen.Bound(n) {
		return false
	}
	sp.OutstandingBytes = sp.BytesAbove(sp.sndUna)
	return true
}

// addReinjected enters the part r of p as a reinjection. The kind depends on the
// subflows that sent the data before. The reinjected bytes of a captured segment are
// counted together, however many parts it has.
func (sp *Space) addReinjected(sub *SubflowSpace, p *Piece, r seq.Range[seq.DSN], unit int64, f *Result) {
	if r.Empty() {
		return
	}
	if sp.reinjectedPacket != p.Packet {
		sp.reinjectedPacket, sp.reinjectedBytes = p.Packet, 0
	}
	if sp.reinjectedBytes > 0 {
		sub.ReinjectedSegments -= segments(sp.reinjectedBytes, unit)
	}
	sp.reinjectedBytes += r.Len()
	sub.ReinjectedSegments += segments(sp.reinjectedBytes, unit)
	sub.ReinjectedBytes += r.Len()
	sp.noteReinjection(sub, r, p.Time)
	at := r.Start
	for _, own := range sp.onlyOn(sub, r) {
		addReinjectedPiece(p, seq.Range[seq.DSN]{Start: at, End: own.Start}, Reinjection, f)
		addReinjectedPiece(p, own, ReinjectedSame, f)
		sub.ReinjectedSame += own.Len()
		at = own.End
	}
	addReinjectedPiece(p, seq.Range[seq.DSN]{Start: at, End: r.End}, Reinjection, f)
}

// addReinjectedPiece adds the part r of p to f, unless r is empty.
func addReinjectedPiece(p *Piece, r seq.Range[seq.DSN], kind PieceKind, f *Result) {
	if r.Empty() {
		return
	}
	piece := f.newPiece()
	*piece = p.part(r)
	piece.Kind = kind
}

// onlyOn returns the parts of r, ascending, that were sent on sub first and on no other
// subflow since. They are valid until the next call.
func (sp *Space) onlyOn(sub *SubflowSpace, r seq.Range[seq.DSN]) []seq.Range[seq.DSN] {
	sp.same = sp.same[:0]
	add := func(run seq.Range[seq.DSN]) bool {
		if n := len(sp.same); n > 0 && sp.same[n-1].End == run.Start {
			sp.same[n-1].End = run.End
		} else {
			sp.same = append(sp.same, run)
		}
		return true
	}
	alone := func(run seq.Range[seq.DSN]) {
		if sub.reinjectedData.Len() == 0 {
			add(run)
		} else {
			sub.reinjectedData.Missing(run, add)
		}
	}
	sub.settledData.Common(r, alone)
	sub.overlapping(r, func(c *Chunk) { alone(c.Data.Intersect(r)) })
	slices.SortFunc(sp.same, func(a, b seq.Range[seq.DSN]) int { return cmp.Compare(a.Start, b.Start) })
	return sp.same
}

// noteReinjection notes that sub carries r again at time now (ns). Where the chunk of the
// original is settled, the original arrived first.
func (sp *Space) noteReinjection(sub *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	for _, other := range sp.subflows {
		if other == sub || other.FirstBytes == 0 { // no data was sent on it first
			continue
		}
		other.settledData.Common(r, func(settled seq.Range[seq.DSN]) {
			sp.outcome.ByOriginal += settled.Len() - other.reinjectedData.Overlap(settled)
			other.noteReinjected(settled)
		})
		other.overlapping(r, func(c *Chunk) {
			part := c.Data.Intersect(r)
			sp.noteDuplicate(other, c, part, sub, now)
			other.noteReinjected(part)
		})
	}
}

// noteReinjected notes that another subflow carried data r of sub, too.
func (sub *SubflowSpace) noteReinjected(r seq.Range[seq.DSN]) {
	sub.reinjectedData.Add(r)
	sub.reinjectedData.Bound(maxRanges)
}
