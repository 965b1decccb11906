package pair

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// maxAhead is by how much what is known of the clocks beforehand may be wrong,
// ns.
const maxAhead = 2e9

// takeInOrder takes the data that a packet puts in order, which comes subflow by
// subflow.
func (d *dataDirection) takeInOrder(data []*dss.Chunk, now int64) {
	direct := !d.delivered.some() // nothing waits that comes first
	end := seq.DSN(0)
	for _, c := range data {
		end = max(end, c.Data.End)
		if x := deliveredData(c, now); !direct || !d.deliver(&x, false) {
			d.delivered.insert(x)
		}
		if d.pair.opt.Chunk != nil {
			d.chunks.arrive(d.pair, arrivedData{c.Data, c.FirstSeen, now}, d.shift)
		}
	}
	if direct && !d.delivered.some() {
		d.sent.drop(end + d.shift)
	}
}

// matchDelivered takes the delays of data that was delivered before it was seen
// to be sent. With last, it takes the rest without them.
func (d *dataDirection) matchDelivered(last bool) {
	if !d.aligned {
		return
	}
	q := &d.delivered
	for ; q.head < len(q.list); q.head++ {
		x := q.list[q.head]
		if !d.deliver(&x, last) {
			if !last && !d.sender.capture.ended {
				return
			}
			d.OneSided += x.open
		}
		d.sent.drop(x.End + d.shift)
	}
	q.list, q.head = q.list[:0], 0
}

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the data, or a part of it, was not seen to be sent and may still
// be: the clocks disagree, or another subflow was sent what comes behind.
func (d *dataDirection) deliver(x *dataPart, last bool) bool {
	at := dsnRange{Start: x.Start + d.shift, End: x.End + d.shift}
	q := &d.sent
	n := len(q.list)
	if n == q.head || q.list[n-1].End < at.End {
		return false
	}
	i := q.find(at.Start)
	if q.list[i].dsnRange != at && !last && d.mayStillShow(x.time) && !q.covers(i, at) {
		return false
	}
	for ; i < n && q.list[i].Start < at.End; i++ {
		if n := q.list[i].Intersect(at).Len(); n > 0 {
			q.list[i].open -= n
			x.open -= n
			d.addDelay(undecidedDelay{first: x.first, sent: q.list[i].time, inOrder: x.time, n: n})
		}
	}
	d.OneSided += x.open
	return true
}

// mayStillShow reports whether the capture at the sending host may still show
// what was delivered at time t of the other one.
func (d *dataDirection) mayStillShow(t int64) bool {
	if d.from == AtSender {
		t -= d.pair.opt.RoughLead
	} else {
		t += d.pair.opt.RoughLead
	}
	c := d.sender.capture
	return !c.ended && c.last < t+maxAhead
}

// undecidedDelay is the delay of data that may not be known: the first
// transmission that the sending host's capture shows left the data less time to
// arrive than any packet took so far. Either the path got quicker, or the capture
// missed the first transmission and shows a later copy.
type undecidedDelay struct {
	first   firstArrival
	sent    int64 // ns
	inOrder int64 // when it was in order, ns
	n       int64 // bytes
}

// firstArrival is when and on which subflow of the receiving host's capture data
// arrived first, ns.
type firstArrival struct {
	time int64
	sub  int32
}

// maxUndecided bounds the undecided delays of one direction of a connection. At
// the bound they are decided by the delays of packets known by then.
const maxUndecided = 1 << 12

// possibility is whether a transmission can have brought data.
type possibility uint8

const (
	unknown    possibility = iota // no packet of the subflow has a delay yet
	impossible                    // quicker than any packet
	possible
)

// couldBring compares a transmission with the first arrival of its data. What
// arrived first left when the data was first sent, or later.
func (d *dataDirection) couldBring(sent int64, first firstArrival) possibility {
	m := d.receiver.dirs[2*int(first.sub)+int(d.receiverSide)].matched
	switch {
	case m == nil:
		return impossible // the sending host's capture does not have the subflow
	case !m.hasDelay:
		return unknown
	case first.time-sent < m.leastDelay:
		return impossible
	}
	return possible
}

// addDelay adds a delay to the figures, or keeps it until it can be decided.
func (d *dataDirection) addDelay(x undecidedDelay) {
	if d.couldBring(x.sent, x.first) == possible {
		d.Delivery.Add(x.inOrder, x.inOrder-x.sent, x.n)
		return
	}
	if len(d.undecided) >= maxUndecided {
		d.decideDelays()
	}
	d.undecided = append(d.undecided, x)
}

// decideDelays decides the delays that were kept by what is known by now. Where no
// packet of a subflow is in both captures, nothing speaks against its data.
func (d *dataDirection) decideDelays() {
	for i := range d.undecided {
		x := &d.undecided[i]
		if d.couldBring(x.sent, x.first) == impossible {
			d.OneSided += x.n
			d.Unmatched += x.n
			continue
		}
		d.Delivery.Add(x.inOrder, x.inOrder-x.sent, x.n)
	}
	d.undecided = d.undecided[:0]
}
