package dss

import (
	"cmp"
	"slices"

	"mpanalyze/internal/seq"
)

// partly tells first transmissions from reinjections in data that is new to
// its subflow, but of which some was sent before.
func (sp *Space) partly(l *SubflowSpace, p *Piece, unit int64, f *Result) {
	// The gaps are gathered first: seen must not change under Missing.
	sp.gaps = sp.gaps[:0]
	sp.seen.Missing(p.Data, func(gap seq.Range[seq.DSN]) bool {
		sp.gaps = append(sp.gaps, gap)
		return true
	})
	at := p.Data.Start
	for _, gap := range sp.gaps {
		sp.again(l, p, seq.Range[seq.DSN]{Start: at, End: gap.Start}, unit, f)
		piece := f.newPiece()
		*piece = p.part(gap)
		sp.enter(l, piece, unit)
		at = gap.End
	}
	sp.again(l, p, seq.Range[seq.DSN]{Start: at, End: p.Data.End}, unit, f)
}

// enter books data that was never sent before wherever it lies.
func (sp *Space) enter(l *SubflowSpace, p *Piece, unit int64) {
	l.seenAt, _ = sp.seen.Insert(p.Data)
	if p.Data.Start <= sp.edge {
		sp.edge, sp.moved = max(sp.edge, sp.seen.Range(l.seenAt).End), byAll
	}
	sp.late(l, p.Data, p.SSN, unit, p.Packet, p.Time)
	if sp.forget(maxSeen) {
		l.seenAt = sp.seen.Find(p.Data.Start)
	}
}

// forget keeps n runs at most of what was seen, and reports whether there were
// more.
func (sp *Space) forget(n int) bool {
	if !sp.seen.Bound(n) {
		return false
	}
	sp.OutstandingBytes = sp.BytesAbove(sp.floor())
	return true
}

// again books the part r of p as a reinjection, told by where its data
// travelled before. A segment counts once, however many runs of it are
// reinjected.
func (sp *Space) again(l *SubflowSpace, p *Piece, r seq.Range[seq.DSN], unit int64, f *Result) {
	if r.Empty() {
		return
	}
	if sp.copier != p.Packet {
		sp.copier, sp.copied = p.Packet, 0
	}
	if sp.copied > 0 {
		l.ReinjectedSegments -= units(sp.copied, unit)
	}
	sp.copied += r.Len()
	l.ReinjectedSegments += units(sp.copied, unit)
	l.ReinjectedBytes += r.Len()
	sp.travelled(l, r, p.Time)
	at := r.Start
	for _, own := range sp.onlyHere(l, r) {
		addCopy(p, seq.Range[seq.DSN]{Start: at, End: own.Start}, Reinjection, f)
		addCopy(p, own, ReinjectedSame, f)
		l.ReinjectedSame += own.Len()
		at = own.End
	}
	addCopy(p, seq.Range[seq.DSN]{Start: at, End: r.End}, Reinjection, f)
}

// addCopy adds the part r of p to f, unless it is empty.
func addCopy(p *Piece, r seq.Range[seq.DSN], kind PieceKind, f *Result) {
	if r.Empty() {
		return
	}
	piece := f.newPiece()
	*piece = p.part(r)
	piece.Kind = kind
}

// onlyHere returns the runs of r, ascending, that lane l was the first to carry
// and no other lane has carried since. They are valid until the next call.
func (sp *Space) onlyHere(l *SubflowSpace, r seq.Range[seq.DSN]) []seq.Range[seq.DSN] {
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
		if l.elsewhere.Len() == 0 {
			add(run)
		} else {
			l.elsewhere.Missing(run, add)
		}
	}
	l.past.Common(r, alone)
	l.over(r, func(c *Chunk) { alone(c.Data.Intersect(r)) })
	slices.SortFunc(sp.same, func(a, b seq.Range[seq.DSN]) int { return cmp.Compare(a.Start, b.Start) })
	return sp.same
}

// travelled notes that lane l carries r, which was sent before, at time now. Of
// what is settled the original came first.
func (sp *Space) travelled(l *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	for _, o := range sp.lanes {
		if o == l || o.FirstBytes == 0 { // it was the first to carry nothing
			continue
		}
		o.past.Common(r, func(settled seq.Range[seq.DSN]) {
			sp.worth.ByOriginal += settled.Len() - o.elsewhere.Overlap(settled)
			o.copied(settled)
		})
		o.over(r, func(c *Chunk) {
			part := c.Data.Intersect(r)
			sp.duplicated(o, c, part, l, now)
			o.copied(part)
		})
	}
}

// copied notes that another subflow carried the lane's data r, too.
func (l *SubflowSpace) copied(r seq.Range[seq.DSN]) {
	l.elsewhere.Add(r)
	l.elsewhere.Bound(maxSeen)
}
