package pair

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// sending tells the copies of data apart: the lane that carried one, and the
// distance between positions of its stream and of the data. A retransmission
// has that of what it repeats.
type copyID struct {
	dir   *matchedDirection
	shift uint32
}

// sendingOf returns that of a piece that capture e shows, of data from a
// position on; l is nil while the subflow's counterpart is not known.
func copyOf(l *matchedDirection, e End, x *dss.Piece, data seq.DSN) copyID {
	if l == nil {
		return copyID{}
	}
	return copyID{l, uint32(x.SSN) + l.base[e&1] - uint32(data)}
}

// reinjection is data that was sent on another subflow too. What arrives of it
// in parts is one for each part.
type reinjection struct {
	dsnRange
	copyID        // of the copy
	arrived int64 // when either was first seen to arrive; 0 = not yet
	byCopy  bool
}

const maxReinjections = 1 << 12

// carrier is data and what brought it first.
type carried struct {
	dsnRange
	copyID
}

// maxCarriers bounds the carriers that are remembered, for copies that arrive
// before the other capture tells that they left: the captures are in step only as
// far as the delays of different paths allow, and that is some tenths of a second.
const maxCarriers = 1 << 12

// arrive takes data that was not there before.
func (d *dataDirection) noteArrival(r dsnRange, by copyID) {
	d.arrived.add(r)
	if n := len(d.carriers); n > 0 && d.carriers[n-1].copyID == by && d.carriers[n-1].End == r.Start {
		d.carriers[n-1].End = r.End
		return
	}
	if len(d.carriers) >= maxCarriers {
		d.carriers = d.carriers[:copy(d.carriers, d.carriers[maxCarriers/2:])]
	}
	d.carriers = append(d.carriers, carried{r, by})
}

// again takes data that was sent on another subflow before. Whether that or the
// copy brought what is there already, its carrier tells; one that is forgotten
// did so long before the copy left. The margin is not known.
func (d *dataDirection) noteReinjection(data dsnRange, by copyID) {
	there := data.Len()
	if len(d.reinjections) >= maxReinjections {
		d.reinjections = d.reinjections[:copy(d.reinjections, d.reinjections[maxReinjections/2:])]
	}
	d.arrived.missing(data, func(r dsnRange) {
		there -= r.Len()
		d.keepReinjection(reinjection{dsnRange: r, copyID: by})
	})
	sought := there // octets whose carrier is not found yet; as a rule it is one of the latest
	for i := len(d.carriers) - 1; i >= 0 && sought > 0; i-- {
		n := max(0, d.carriers[i].Intersect(data).Len())
		sought -= n
		if d.carriers[i].copyID == by {
			there -= n
			d.CopyFirst += n
		}
	}
	d.OriginalFirst += there
}

// await keeps what is not decided, while there is room.
func (d *dataDirection) keepReinjection(c reinjection) {
	if len(d.reinjections) < maxReinjections {
		d.reinjections = append(d.reinjections, c)
	}
}

// decides holds data that arrived against what was sent twice.
func (d *dataDirection) decideReinjections(r dsnRange, by copyID, now int64) {
	for i := 0; i < len(d.reinjections); i++ {
		c := &d.reinjections[i]
		part := c.Intersect(r)
		switch {
		case part.Empty():
		case c.arrived == 0:
			whole := *c
			c.dsnRange, c.arrived, c.byCopy = part, now, c.copyID == by
			if c.byCopy {
				d.CopyFirst += part.Len()
			} else {
				d.OriginalFirst += part.Len()
			}
			for _, rest := range [2]dsnRange{{Start: whole.Start, End: part.Start}, {Start: part.End, End: whole.End}} {
				if !rest.Empty() {
					d.keepReinjection(reinjection{dsnRange: rest, copyID: whole.copyID})
				}
			}
		case c.byCopy != (c.copyID == by):
			d.Lead.Add(ms(now - c.arrived))
			d.reinjections = append(d.reinjections[:i], d.reinjections[i+1:]...)
			i--
		}
	}
}
