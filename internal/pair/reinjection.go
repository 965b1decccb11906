package pair

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// transmissionID tells the transmissions of data apart: it holds the direction of the subflow
// that carried a transmission, and the distance between positions of its stream and of
// the data. A retransmission has the same transmissionID as the packet that it repeats.
type transmissionID struct {
	dir   *matchedSubflowDir // nil while the subflow's counterpart is not known
	shift uint32
}

// transmissionOf returns the transmissionID of a piece that capture e shows; data is the
// position where its data starts.
func transmissionOf(d *matchedSubflowDir, e End, x *dss.Piece, data seq.DSN) transmissionID {
	if d == nil {
		return transmissionID{}
	}
	return transmissionID{d, uint32(x.SSN) + d.base[e&1] - uint32(data)}
}

// reinjection is data that was sent on a second subflow, while it is not known
// which transmission came first, or by how much. If the data arrives in parts, there is
// one reinjection for each part.
type reinjection struct {
	dsnRange
	transmissionID       // of the reinjection
	arrived        int64 // when either transmission was first seen to arrive, ns; 0 = not yet
	byReinjection  bool  // the reinjection was that transmission
}

// maxReinjections bounds the reinjections that are not decided. At the bound the
// older half is forgotten.
const maxReinjections = 1 << 12

// carried is data and the transmission that brought it first.
type carried struct {
	dsnRange
	transmissionID
}

// maxCarried bounds the arrived data that is remembered. It is needed for
// transmissions that arrive before the other capture shows that they left: the two
// captures are read in step only as far as the delays of different paths allow,
// which is some tenths of a second.
const maxCarried = 1 << 12

// noteArrival takes data that arrived for the first time.
func (d *matchedDataDir) noteArrival(r dsnRange, by transmissionID) {
	addRange(&d.arrived, r)
	if n := len(d.carried); n > 0 && d.carried[n-1].transmissionID == by && d.carried[n-1].End == r.Start {
		d.carried[n-1].End = r.End
		return
	}
	if len(d.carried) >= maxCarried {
		d.carried = d.carried[:copy(d.carried, d.carried[maxCarried/2:])]
	}
	d.carried = append(d.carried, carried{r, by})
}

// noteReinjection takes data that was sent on another subflow before. If some
// of it arrived already, the latest arrivals tell whether the reinjection
// brought it; data that is not among them arrived long before the reinjection
// left. For arrived data it is not known by how much the first transmission came before
// the second.
func (d *matchedDataDir) noteReinjection(data dsnRange, by transmissionID) {
	if len(d.reinjections) >= maxReinjections {
		d.reinjections = d.reinjections[:copy(d.reinjections, d.reinjections[maxReinjections/2:])]
	}
	there := data.Len()
	d.arrived.Missing(data, func(r dsnRange) bool {
		there -= r.Len()
		d.keepReinjection(reinjection{dsnRange: r, transmissionID: by})
		return true
	})
	unseen := there // bytes whose transmission is not found yet; it is mostly one of the latest
	for i := len(d.carried) - 1; i >= 0 && unseen > 0; i-- {
		n := max(0, d.carried[i].Intersect(data).Len())
		unseen -= n
		if d.carried[i].transmissionID == by {
			there -= n
			d.ReinjectionFirst += n
		}
	}
	d.OriginalFirst += there
}

// keepReinjection keeps a reinjection that is not decided, while there is room.
func (d *matchedDataDir) keepReinjection(x reinjection) {
	if len(d.reinjections) < maxReinjections {
		d.reinjections = append(d.reinjections, x)
	}
}

// decideReinjections compares data that arrived with reinjections.
func (d *matchedDataDir) decideReinjections(r dsnRange, by transmissionID, now int64) {
	for i := 0; i < len(d.reinjections); i++ {
		x := &d.reinjections[i]
		part := x.Intersect(r)
		switch {
		case part.Empty():
		case x.arrived == 0:
			whole := *x
			x.dsnRange, x.arrived, x.byReinjection = part, now, x.transmissionID == by
			if x.byReinjection {
				d.ReinjectionFirst += part.Len()
			} else {
				d.OriginalFirst += part.Len()
			}
			for _, rest := range [2]dsnRange{{Start: whole.Start, End: part.Start}, {Start: part.End, End: whole.End}} {
				if !rest.Empty() {
					d.keepReinjection(reinjection{dsnRange: rest, transmissionID: whole.transmissionID})
				}
			}
		case x.byReinjection != (x.transmissionID == by):
			d.Lead.Add(ms(now - x.arrived))
			d.reinjections = append(d.reinjections[:i], d.reinjections[i+1:]...)
			i--
		}
	}
}
