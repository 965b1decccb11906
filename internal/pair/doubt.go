package pair

// doubt is data whose first transmission, as far as the sending host's capture
// shows it, left it less time to arrive than any packet took so far. Either the
// way got quicker, or the capture missed the first transmission and shows a
// later copy: of such data the end-to-end delay is not known.
type doubt struct {
	came  arrivedFirst
	sent  int64 // ns
	there int64 // when it was in order, ns
	n     int64 // octets
}

// arrivedFirst is when and on which subflow of the receiving host's capture
// data arrived first, ns.
type arrivedFirst struct {
	time int64
	sub  int32
}

// maxDoubts bounds the doubts of one direction of a connection. At the bound
// they are decided by the delays known by then.
const maxDoubts = 1 << 12

// verdict is whether a transmission can have made an arrival.
type verdict uint8

const (
	unsure     verdict = iota // no packet of the subflow has told its delay
	impossible                // quicker than any packet
	possible
)

// judge compares a transmission with the first arrival of its data. The copy
// that arrived first left when the data was first sent, or later.
func (d *pairedData) judge(sent int64, came arrivedFirst) verdict {
	l := d.to.ways[2*int(came.sub)+int(d.far)].lane
	switch {
	case l == nil:
		return impossible // the sending host's capture does not have the subflow
	case !l.hasDelay:
		return unsure
	case came.time-sent < l.least:
		return impossible
	}
	return possible
}

// enter takes the delay of n octets that were sent and are there in order.
func (d *pairedData) enter(x doubt) {
	d.Delivery.Raw.AddWeighted(d.Delivery.raw(x.there-x.sent), float64(x.n))
	d.delivery.add(x.there, x.there-x.sent, x.n)
}

// weigh enters a delay, or puts the decision off.
func (d *pairedData) weigh(x doubt) {
	if d.judge(x.sent, x.came) == possible {
		d.enter(x)
		return
	}
	if len(d.doubts) >= maxDoubts {
		d.decide()
	}
	d.doubts = append(d.doubts, x)
}

// decide settles the doubts by what is known by now: at the end, when every
// packet was matched. Where no packet of a subflow is in both captures there is
// nothing to hold against its data.
func (d *pairedData) decide() {
	for i := range d.doubts {
		x := &d.doubts[i]
		if d.judge(x.sent, x.came) == impossible {
			d.OneSided += x.n
			d.Unmatched += x.n
			continue
		}
		d.enter(*x)
	}
	d.doubts = d.doubts[:0]
}
