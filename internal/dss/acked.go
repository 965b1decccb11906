package dss

import "mpanalyze/internal/seq"

// Acked notes that positions r of sub were acknowledged or SACKed on the subflow for
// the first time, at time now (ns); r is not empty. dataAck is the DATA_ACK of the same
// packet, which the caller then passes to [Space.DataAck], or the highest before. Nearly
// always r holds whole chunks that follow the chunks acknowledged before. The loop
// handles these, and ackedSlow the rest.
func (sp *Space) Acked(sub *SubflowSpace, r seq.Range[seq.SSN], dataAck seq.DSN, now int64) {
	if len(sub.duplicates) > 0 {
		sp.decideDuplicates(sub, r, now)
	}
	at := sub.ackedPlace
	for c := sub.chunks.At(at); c != nil; c = sub.chunks.At(at) {
		if c.SSN != r.Start || c.Data.Len() > r.Len() || c.Acked != 0 {
			break
		}
		switch {
		case c.Data.End <= dataAck: // the set holds only what is not DATA_ACKed
		case sp.subflowAcked.Extend(sub.subflowAckedPlace, c.Data): // no range of the set ends where DATA_ACKed data begins
			sp.SubflowAckedBytes += c.Data.Len()
		default:
			sp.addSubflowAcked(sub, c.Data)
		}
		sp.markAcked(c, now)
		at++ // the next chunk may be on another page of the list; then this is not its place, and the loop notices
		if r.Start += seq.SSN(c.Data.Len()); r.Start == r.End {
			sub.ackedPlace = at
			return
		}
	}
	sub.ackedPlace = at
	sp.ackedSlow(sub, r, now)
}

// ackedSlow is Acked for any r.
func (sp *Space) ackedSlow(sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	if m := sub.maps.latest(); m.SSN.Start <= r.Start && r.End <= m.SSN.End { // nearly always
		sp.ackData(sub, m.data(r), now)
		return
	}
	for at := sub.maps.find(r.Start); sub.maps.at(at).SSN.Start < r.End; at = sub.maps.list.Next(at) {
		m := sub.maps.at(at)
		sp.ackData(sub, m.data(m.SSN.Intersect(r)), now)
	}
}

// ackData notes that data r was acknowledged on sub, and marks the chunks of sub whose
// last byte lies in it.
func (sp *Space) ackData(sub *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	if r.Start >= sp.sndUna && sp.subflowAcked.Extend(sub.subflowAckedPlace, r) { // r continues the range that grew last, and overlaps no other
		sp.SubflowAckedBytes += r.Len()
	} else {
		sp.addSubflowAcked(sub, r)
	}
	place := sub.ackedPlace
	if c := sub.chunks.At(place); c == nil || c.Data.Start != r.Start {
		place = sub.findChunk(r.Start)
	}
	at := r.Start
	for c := sub.chunks.At(place); c != nil && c.Data.End <= r.End; c = sub.chunks.At(place) {
		if c.Data.Start <= at {
			at = c.Data.End
		}
		if c.Acked == 0 {
			sp.markAcked(c, now)
		}
		place = sub.chunks.Next(place)
	}
	sub.ackedPlace = place
	if at != r.End && sub.ReinjectedBytes > 0 { // otherwise no other subflow carried a part of it first
		sp.ackOriginals(sub, r, now)
	}
}

// ackOriginals marks the chunks of other subflows whose last byte lies in r, which sub
// carried as a reinjection.
func (sp *Space) ackOriginals(sub *SubflowSpace, r seq.Range[seq.DSN], now int64) {
	for _, other := range sp.subflows {
		if other == sub || other.FirstBytes == 0 { // no data was sent on it first
			continue
		}
		other.overlapping(r, func(c *Chunk) {
			if c.Data.End <= r.End && c.Acked == 0 {
				sp.markAcked(c, now)
			}
		})
	}
}

// markAcked sets the time at which a subflow acknowledged c.
func (sp *Space) markAcked(c *Chunk, now int64) {
	c.Acked = now
	if c.DataAcked == 0 {
		sp.SubflowAckedSegments += int64(c.Segments)
	} else if sp.settleLater == 0 {
		sp.settleDue = true
	}
}

// addSubflowAcked adds the part of data r that is not DATA_ACKed to the data that
// subflows acknowledged.
func (sp *Space) addSubflowAcked(sub *SubflowSpace, r seq.Range[seq.DSN]) {
	r.Start = max(r.Start, sp.sndUna)
	if r.Empty() {
		return
	}
	at, added := sp.subflowAcked.Insert(r)
	sub.subflowAckedPlace = at
	sp.SubflowAckedBytes += added
	if sp.subflowAcked.Bound(maxRanges) {
		sp.SubflowAckedBytes = sp.subflowAcked.Size()
		sub.subflowAckedPlace = sp.subflowAcked.Find(r.Start)
	}
}
