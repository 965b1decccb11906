package dss

import "mpanalyze/internal/seq"

// Acked notes that positions r of lane l were acknowledged or SACKed on their
// subflow for the first time, at time now.
func (sp *Space) Acked(l *Lane, r seq.Range[seq.SSN], now int64) {
	kind := bySACK
	if r.Start <= l.una {
		kind = byAck
	}
	if m := l.maps.latest(); m.SSN.Start <= r.Start && r.End <= m.SSN.End { // nearly always
		sp.accept(l, m.data(r), now, kind)
		return
	}
	for i := l.maps.find(r.Start); i < len(l.maps.list) && l.maps.list[i].SSN.Start < r.End; i++ {
		m := &l.maps.list[i]
		sp.accept(l, m.data(m.SSN.Intersect(r)), now, kind)
	}
}

// accept notes that data r was acknowledged on lane l.
func (sp *Space) accept(l *Lane, r seq.Range[seq.DSN], now int64, kind hint) {
	if above := (seq.Range[seq.DSN]{Start: max(r.Start, sp.floor()), End: r.End}); !above.Empty() {
		if sp.held.Extend(l.heldAt, above) {
			sp.AckedBytes += above.Len()
		} else {
			sp.hold(l, above)
		}
	}
	if own := sp.mark(l, r, now, kind); !own && l.ReinjectedBytes > 0 {
		for _, other := range sp.lanes {
			if other != l {
				sp.mark(other, r, now, byCopy)
			}
		}
	}
}

// hold enters data that was acknowledged on lane l among what is held.
func (sp *Space) hold(l *Lane, r seq.Range[seq.DSN]) {
	sp.AckedBytes += sp.held.Add(r)
	if sp.held.DropOldest(maxSeen) {
		sp.AckedBytes = sp.held.Size()
	}
	l.heldAt = sp.held.Find(r.Start)
}

// mark sets the acknowledgment of the chunks of l whose last octet lies in r,
// and reports whether these hold all of r: then no other lane carried any of it
// first.
func (sp *Space) mark(l *Lane, r seq.Range[seq.DSN], now int64, kind hint) (whole bool) {
	i := l.hints[kind]
	if i < l.head || i >= len(l.chunks) || l.chunks[i].Data.Start != r.Start {
		i = l.search(r.Start)
	}
	at := r.Start
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= r.End; i++ {
		c := &l.chunks[i]
		if c.Data.Start <= at {
			at = c.Data.End
		}
		if c.Acked != 0 {
			continue
		}
		c.Acked = now
		if c.DataAcked == 0 {
			sp.AckedUnits += int64(c.Units)
		} else {
			sp.ended = true
		}
		if kind == byCopy {
			sp.CopyFirst += c.Data.Len()
		} else if c.copied {
			sp.OriginalFirst += c.Data.Len()
		}
	}
	l.hints[kind] = i
	return at == r.End
}
