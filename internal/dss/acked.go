package dss

import "mpanalyze/internal/seq"

// Acked notes that positions r of lane l, one at least, were acknowledged or SACKed on their
// subflow for the first time, at time now. Nearly always these are the chunks
// that follow those which were acknowledged last.
func (sp *Space) Acked(l *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	if len(l.duplicates) > 0 {
		sp.decide(l, r, now)
	}
	at := l.marked
	for c := l.chunks.At(at); c != nil; c = l.chunks.At(at) {
		if c.SSN != r.Start || c.Data.Len() > r.Len() || c.Acked != 0 {
			break
		}
		if sp.held.Extend(l.heldAt, c.Data) { // what was DATA_ACKed continues nothing that is held
			sp.SubflowAckedBytes += c.Data.Len()
		} else {
			sp.hold(l, c.Data)
		}
		sp.mark(c, now)
		at++ // across pages it may be that of another chunk, which the comparison shows
		if r.Start += seq.SSN(c.Data.Len()); r.Start == r.End {
			l.marked = at
			return
		}
	}
	l.marked = at
	sp.ackedAnywhere(l, r, now)
}

// ackedAnywhere is Acked for whatever r may be.
func (sp *Space) ackedAnywhere(l *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	if m := l.maps.latest(); m.SSN.Start <= r.Start && r.End <= m.SSN.End { // nearly always
		sp.accept(l, m.data(r), now)
		return
	}
	for at := l.maps.find(r.Start); l.maps.at(at).SSN.Start < r.End; at = l.maps.list.Next(at) {
		m := l.maps.at(at)
		sp.accept(l, m.data(m.SSN.Intersect(r)), now)
	}
}

// accept notes that data r was acknowledged on lane l, and marks the chunks of
// the lane whose last octet lies in it.
func (sp *Space) accept(l *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	if r.Start >= sp.floor() && sp.held.Extend(l.heldAt, r) { // it goes on where the latest ended, and meets none
		sp.SubflowAckedBytes += r.Len()
	} else {
		sp.hold(l, r)
	}
	place := l.marked
	if c := l.chunks.At(place); c == nil || c.Data.Start != r.Start {
		place = l.search(r.Start)
	}
	at := r.Start
	for c := l.chunks.At(place); c != nil && c.Data.End <= r.End; c = l.chunks.At(place) {
		if c.Data.Start <= at {
			at = c.Data.End
		}
		if c.Acked == 0 {
			sp.mark(c, now)
		}
		place = l.chunks.Next(place)
	}
	l.marked = place
	if at != r.End && l.ReinjectedBytes > 0 { // else no other lane was the first to carry any of it
		sp.acceptCopy(l, r, now)
	}
}

// acceptCopy marks the chunks of the other lanes whose last octet lies in r,
// which lane l carried too.
func (sp *Space) acceptCopy(l *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	for _, o := range sp.lanes {
		if o == l || o.FirstBytes == 0 { // it was the first to carry nothing
			continue
		}
		o.over(r, func(c *Chunk) {
			if c.Data.End <= r.End && c.Acked == 0 {
				sp.mark(c, now)
			}
		})
	}
}

// mark sets the acknowledgment of c.
func (sp *Space) mark(c *Chunk, now int64) {
	c.Acked = now
	if c.DataAcked == 0 {
		sp.SubflowAckedSegments += int64(c.Segments)
	} else if sp.patience == 0 {
		sp.ended = true
	}
}

// hold enters what of data r, acknowledged on lane l, is not DATA_ACKed.
func (sp *Space) hold(l *SubflowSpace, r seq.Range[seq.DSN]) {
	r.Start = max(r.Start, sp.floor())
	if r.Empty() {
		return
	}
	at, added := sp.held.Insert(r)
	l.heldAt = at
	sp.SubflowAckedBytes += added
	if sp.held.Bound(maxSeen) {
		sp.SubflowAckedBytes = sp.held.Size()
		l.heldAt = sp.held.Find(r.Start)
	}
}
