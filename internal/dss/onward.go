package dss

import "mpanalyze/internal/seq"

// onward is where the usual data of a lane goes on: below a mapping that needs no
// more checks, and above all chunks of the lane.
type onward struct {
	ssn   seq.SSN // next position of the subflow
	until seq.SSN // where the mapping ends; ssn where there is nothing to go on under
	data  seq.DSN // data position of ssn
}

// goOn notes where usual data goes on if what comes next on the subflow is at p.
func (l *SubflowSpace) goOn(p seq.SSN) {
	l.onward = onward{}
	m := l.maps.newest()
	if p < m.SSN.Start || p >= m.SSN.End || m.check != nil || m.Bad {
		return
	}
	if data := m.at(p); l.endsBelow(data) {
		l.onward = onward{p, m.SSN.End, data}
	}
}

// AddExpected is [Space.AddPayload] for n octets of payload at position ssn of the
// subflow, one at least and new there, of a packet of which nothing was found
// yet and that counts as so many segments, if it goes on where the lane's data
// ended, under a mapping without a checksum, meets no other data, and there is
// room for what it brings; chunks that are in order then are told, too, as by
// [Space.InOrder]. That is nearly all payload; at any other it does nothing and
// returns false.
func (sp *Space) AddExpected(l *SubflowSpace, ssn seq.SSN, n, segments int64, packet uint64, now int64, f *Result) bool {
	o := &l.onward
	r := seq.Range[seq.DSN]{Start: o.data, End: o.data + seq.DSN(n)}
	if ssn != o.ssn || ssn+seq.SSN(n) > o.until || r.Start < sp.floor() || !l.chunks.HasRoom() || l.chunks.Len() >= maxChunks ||
		len(f.Pieces) > 0 || cap(f.Pieces) == 0 {
		return false
	}
	if !sp.seen.Extend(l.seenAt, r) && !sp.tops(l, r) {
		return false
	}
	at := l.chunks.End()
	c := l.chunks.PushInPlace()
	f.Pieces = f.Pieces[:1]
	f.Pieces[0].fill(r, ssn, false, packet, now)
	c.Data, c.SSN = r, ssn
	c.begin(l, segments, packet, now)
	sp.work(l)
	o.ssn, o.data = ssn+seq.SSN(n), r.End
	l.FirstBytes += n
	sp.Bytes += n
	sp.OutstandingBytes += n
	sp.OutstandingSegments += segments
	sp.nxt = max(sp.nxt, r.End)
	if r.Start <= sp.edge {
		sp.edge = max(sp.edge, r.End)
		if k := len(f.InOrder); l.nextOrder == at && sp.moved == 0 && k < cap(f.InOrder) { // all before it are in order
			f.InOrder = f.InOrder[:k+1]
			f.InOrder[k] = c
			l.nextOrder = at + 1
			c.InOrder = now
			return true
		}
		sp.moved |= byOne
	}
	if sp.moved != 0 {
		sp.InOrder(l, now, f)
	}
	return true
}

// tops enters data r of lane l if it lies above all that was seen.
func (sp *Space) tops(l *SubflowSpace, r seq.Range[seq.DSN]) bool {
	if r.Start < sp.nxt || sp.seen.Len() >= maxSeen {
		return false
	}
	l.seenAt, _ = sp.seen.Insert(r)
	return true
}
