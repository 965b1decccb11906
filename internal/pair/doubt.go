package pair

// doubt is data whose first transmission, as far as the sending host's capture
// shows it, left it less time to arrive than any packet took so far. Either the
// way got quicker, or the capture missed the first transmission and shows a
// later copy: of such data the end-to-end delay is not known.
type undecidedDelay struct {
	first   firstArrival
	sent    int64 // ns
	inOrder int64 // when it was in order, ns
	n       int64 // octets
}

// arrivedFirst is when and on which subflow of the receiving host's capture
// data arrived first, ns.
type firstArrival struct {
	time int64
	sub  int32
}

// maxDoubts bounds the doubts of one direction of a connection. At the bound
// they are decided by the delays known by then.
const maxUndecided = 1 << 12

// verdict is whether a transmission can have made an arrival.
type possibility uint8

const (
	unsure     possibility = iota // no packet of the subflow has told its delay
	impossible                    // quicker than any packet
	possible
)

// judge compares a transmission with the first arrival of its data. The copy
// that arrived first left when the data was first sent, or later.
func (d *dataDirection) couldBring(sent int64, came firstArrival) possibility {
	l := d.receiver.dirs[2*int(came.sub)+int(d.receiverSide)].matched
	switch {
	case l == nil:
		return impossible // the sending host's capture does not have the subflow
	case !l.hasDelay:
		return unsure
	case came.time-sent < l.leastDelay:
		return impossible
	}
	return possible
}

// enter takes the delay of n octets that were sent and are there in order.
func (d *dataDirection) enterDelay(x undecidedDelay) {
	d.Delivery.Raw.AddWeighted(d.Delivery.raw(x.inOrder-x.sent), float64(x.n))
	d.delivery.add(x.inOrder, x.inOrder-x.sent, x.n)
}

// weigh enters a delay, or puts the decision off.
func (d *dataDirection) delayOrDefer(x undecidedDelay) {
	if d.couldBring(x.sent, x.first) == possible {
		d.enterDelay(x)
		return
	}
	if len(d.undecided) >= maxUndecided {
		d.decideDelays()
	}
	d.undecided = append(d.undecided, x)
}

// decide settles the doubts by what is known by now: at the end, when every
// packet was matched. Where no packet of a subflow is in both captures there is
// nothing to hold against its data.
func (d *dataDirection) decideDelays() {
	for i := range d.undecided {
		x := &d.undecided[i]
		if d.couldBring(x.sent, x.first) == impossible {
			d.OneSided += x.n
			d.Unmatched += x.n
			continue
		}
		d.enterDelay(*x)
	}
	d.undecided = d.undecided[:0]
}
