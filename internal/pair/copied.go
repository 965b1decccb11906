package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// reinjection is data that was sent on another subflow too.
type reinjection struct {
	dataRange
	lane   *lane // of the copy
	first  int64 // when either was first seen to arrive; 0 = not yet
	byCopy bool
}

const maxReinjections = 1 << 12

// leaves takes what most packets say where the data leaves, one piece or
// none, and reports whether that was all. It need not wait for its turn: what
// was sent has to be known before it arrives.
func (d *pairedData) leaves(at *observed, p *conn.Packet) bool {
	if d.from != at || len(p.Pieces) > 1 || d.delivered.some() {
		return false
	}
	for i := range p.Pieces {
		switch x := &p.Pieces[i]; x.Kind {
		case dss.First:
			d.sent.push(newDataRun(x.Data, p.Seg.Time))
		case dss.Reinjection: // what arrived before it has to be known
			return false
		}
	}
	return true
}

// left takes a piece of payload that was sent.
func (d *pairedData) left(x *piece, n *news) {
	switch x.kind {
	case dss.First:
		d.sent.push(newDataRun(x.dataRange, n.time))
	case dss.Reinjection:
		r := reinjection{dataRange: x.dataRange, lane: n.lane}
		if d.there.covers(x.dataRange) {
			d.OriginalFirst += x.Len()
			r.first = 1 // its margin is not known
			return
		}
		if len(d.copies) >= maxReinjections {
			d.copies = d.copies[:copy(d.copies, d.copies[maxReinjections/2:])]
		}
		d.copies = append(d.copies, r)
	}
}

// came takes a piece of payload that arrived.
func (d *pairedData) came(x *piece, from *news) {
	if !d.aligned {
		return
	}
	r := dataRange{Start: x.Start + d.shift, End: x.End + d.shift}
	if x.kind == dss.First {
		d.there.add(r)
	}
	for i := 0; i < len(d.copies); i++ {
		c := &d.copies[i]
		if !c.Overlaps(r) {
			continue
		}
		if c.first == 0 {
			c.first, c.byCopy = from.time, c.lane == from.lane
			if n := c.Intersect(r).Len(); c.byCopy {
				d.CopyFirst += n
			} else {
				d.OriginalFirst += n
			}
			continue
		}
		if c.byCopy != (c.lane == from.lane) {
			d.Lead.Add(ms(from.time - c.first))
			d.copies = append(d.copies[:i], d.copies[i+1:]...)
			i--
		}
	}
}
