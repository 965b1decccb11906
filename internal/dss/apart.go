package dss

import "mpanalyze/internal/seq"

// partly tells first transmissions from reinjections in data that is new to
// its subflow, but of which some was sent before.
func (sp *Space) partly(l *Lane, p *Piece, unit int64, f *Found) {
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
func (sp *Space) enter(l *Lane, p *Piece, unit int64) {
	l.seenAt, _ = sp.seen.Put(p.Data)
	if p.Data.Start <= sp.edge {
		sp.edge, sp.moved = max(sp.edge, sp.seen.Ranges()[l.seenAt].End), byAll
	}
	sp.late(l, p.Data, p.SSN, unit, p.Packet, p.Time)
	if sp.forget(maxSeen) {
		l.seenAt = sp.seen.Find(p.Data.Start)
	}
}

// forget keeps the newest n runs of what was seen, and reports whether there were
// more.
func (sp *Space) forget(n int) bool {
	if !sp.seen.DropOldest(n) {
		return false
	}
	sp.forgotten = sp.Bytes - sp.seen.Size()
	sp.WaitingBytes = sp.SeenAbove(sp.floor())
	return true
}

// again books the part r of p as a reinjection, told by where its data
// travelled before. A segment counts once, however many runs of it are
// reinjected.
func (sp *Space) again(l *Lane, p *Piece, r seq.Range[seq.DSN], unit int64, f *Found) {
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
	same := sp.travelled(l, r)
	l.ReinjectedSame += same
	copied := f.newPiece()
	*copied = p.part(r)
	copied.Kind = Reinjection
	if same == r.Len() {
		copied.Kind = ReinjectedSame
	}
}

// travelled returns how many octets of r had only been carried by lane l, and
// notes that it carries them now. Of what was acknowledged on another lane already,
// or is settled, the original came first.
func (sp *Space) travelled(l *Lane, r seq.Range[seq.DSN]) (same int64) {
	for _, o := range sp.lanes {
		if o == l {
			same = max(0, o.carried(r)-o.elsewhere.Overlap(r))
			continue
		}
		o.past.Common(r, func(settled seq.Range[seq.DSN]) {
			sp.OriginalFirst += settled.Len() - o.elsewhere.Overlap(settled)
			o.copied(settled)
		})
		for i := o.search(r.Start); i < len(o.chunks) && o.chunks[i].Data.Start < r.End; i++ {
			c := &o.chunks[i]
			c.copied = true
			part := c.Data.Intersect(r)
			if c.Acked != 0 {
				sp.OriginalFirst += part.Len() - o.elsewhere.Overlap(part)
			}
			o.copied(part)
		}
	}
	return same
}

// carried returns how many octets of r the lane was the first to carry.
func (l *Lane) carried(r seq.Range[seq.DSN]) (n int64) {
	n = l.past.Overlap(r)
	for i := l.search(r.Start); i < len(l.chunks) && l.chunks[i].Data.Start < r.End; i++ {
		n += l.chunks[i].Data.Intersect(r).Len()
	}
	return n
}

// copied notes that another subflow carried the lane's data r, too.
func (l *Lane) copied(r seq.Range[seq.DSN]) {
	l.elsewhere.Add(r)
	l.elsewhere.DropOldest(maxSeen)
}
