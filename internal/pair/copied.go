package pair

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// sending tells the copies of data apart: the lane that carried one, and the
// distance between positions of its stream and of the data. A retransmission
// has that of what it repeats.
type sending struct {
	lane  *lane
	shift uint32
}

// sendingOf returns that of a piece that capture e shows, of data from a
// position on; l is nil while the subflow's counterpart is not known.
func sendingOf(l *lane, e End, x *dss.Piece, data seq.DSN) sending {
	if l == nil {
		return sending{}
	}
	return sending{l, uint32(x.SSN) + l.base[e&1] - uint32(data)}
}

// reinjection is data that was sent on another subflow too. What arrives of it
// in parts is one for each part.
type reinjection struct {
	dataRange
	sending       // of the copy
	first   int64 // when either was first seen to arrive; 0 = not yet
	byCopy  bool
}

const maxReinjections = 1 << 12

// carrier is data and what brought it first.
type carrier struct {
	dataRange
	sending
}

// maxCarriers bounds the carriers that are remembered, for copies that arrive
// before the other capture tells that they left: the captures are in step only as
// far as the delays of different paths allow, and that is some tenths of a second.
const maxCarriers = 1 << 12

// arrive takes data that was not there before.
func (d *pairedData) arrive(r dataRange, by sending) {
	d.there.add(r)
	if n := len(d.carriers); n > 0 && d.carriers[n-1].sending == by && d.carriers[n-1].End == r.Start {
		d.carriers[n-1].End = r.End
		return
	}
	if len(d.carriers) >= maxCarriers {
		d.carriers = d.carriers[:copy(d.carriers, d.carriers[maxCarriers/2:])]
	}
	d.carriers = append(d.carriers, carrier{r, by})
}

// again takes data that was sent on another subflow before. Whether that or the
// copy brought what is there already, its carrier tells; one that is forgotten
// did so long before the copy left. The margin is not known.
func (d *pairedData) again(data dataRange, by sending) {
	there := data.Len()
	if len(d.copies) >= maxReinjections {
		d.copies = d.copies[:copy(d.copies, d.copies[maxReinjections/2:])]
	}
	d.there.missing(data, func(r dataRange) {
		there -= r.Len()
		d.await(reinjection{dataRange: r, sending: by})
	})
	sought := there // octets whose carrier is not found yet; as a rule it is one of the latest
	for i := len(d.carriers) - 1; i >= 0 && sought > 0; i-- {
		n := max(0, d.carriers[i].Intersect(data).Len())
		sought -= n
		if d.carriers[i].sending == by {
			there -= n
			d.CopyFirst += n
		}
	}
	d.OriginalFirst += there
}

// await keeps what is not decided, while there is room.
func (d *pairedData) await(c reinjection) {
	if len(d.copies) < maxReinjections {
		d.copies = append(d.copies, c)
	}
}

// decides holds data that arrived against what was sent twice.
func (d *pairedData) decides(r dataRange, by sending, now int64) {
	for i := 0; i < len(d.copies); i++ {
		c := &d.copies[i]
		part := c.Intersect(r)
		switch {
		case part.Empty():
		case c.first == 0:
			whole := *c
			c.dataRange, c.first, c.byCopy = part, now, c.sending == by
			if c.byCopy {
				d.CopyFirst += part.Len()
			} else {
				d.OriginalFirst += part.Len()
			}
			for _, rest := range [2]dataRange{{Start: whole.Start, End: part.Start}, {Start: part.End, End: whole.End}} {
				if !rest.Empty() {
					d.await(reinjection{dataRange: rest, sending: whole.sending})
				}
			}
		case c.byCopy != (c.sending == by):
			d.Lead.Add(ms(now - c.first))
			d.copies = append(d.copies[:i], d.copies[i+1:]...)
			i--
		}
	}
}
