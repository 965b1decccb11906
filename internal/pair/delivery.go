package pair

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// maxAhead is the largest error of the rough lead of the clocks that is
// provided for, ns.
const maxAhead = 2e9

// takeInOrder takes the data that a packet completes in order. The data comes
// in one list after another, one for each subflow.
func (d *matchedDataDir) takeInOrder(data []*dss.Chunk, now int64) {
	direct := d.delivered.Len() == 0 // no earlier data waits
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
	if direct && d.delivered.Len() == 0 {
		d.sent.drop(end + d.shift)
	}
}

// matchDelivered takes the delays of data that was delivered before the other
// capture showed that it was sent. With last, it also removes the rest, whose
// sending was never seen.
func (d *matchedDataDir) matchDelivered(last bool) {
	if !d.aligned {
		return
	}
	for x := d.delivered.Front(); x != nil; x = d.delivered.Front() {
		if !d.deliver(x, last) {
			if !last && !d.sender.capture.ended {
				return
			}
			d.OneSided += x.open
		}
		d.sent.drop(x.End + d.shift)
		d.delivered.Pop(1)
	}
}

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the capture at the sending host has not shown all of the data yet
// and may still show it: the clocks disagree, or later data was sent first, on
// another subflow.
func (d *matchedDataDir) deliver(x *dataPart, last bool) bool {
	at := dsnRange{Start: x.Start + d.shift, End: x.End + d.shift}
	q := &d.sent
	if newest := q.Back(); newest == nil || newest.End < at.End {
		return false
	}
	from := q.find(at.Start)
	if q.At(from).dsnRange != at && !last && d.mayStillShow(x.time) && !q.covers(from, at) {
		return false
	}
	for sent := range q.From(from) {
		if sent.Start >= at.End {
			break
		}
		if n := sent.Intersect(at).Len(); n > 0 {
			sent.open -= n
			x.open -= n
			d.addDelay(undecidedDelay{first: x.first, sent: sent.time, inOrder: x.time, n: n})
		}
	}
	d.OneSided += x.open
	return true
}

// mayStillShow reports whether the capture at the sending host may still show
// data that was delivered at time t by the other capture's clock.
func (d *matchedDataDir) mayStillShow(t int64) bool {
	if d.from == AtSender {
		t -= d.pair.opt.RoughLead
	} else {
		t += d.pair.opt.RoughLead
	}
	c := d.sender.capture
	return !c.ended && c.last < t+maxAhead
}

// undecidedDelay is a delay of data that may be wrong: between the first
// transmission in the sending host's capture and the arrival lies less time
// than any packet took so far. Either the path became quicker, or the capture
// missed the first transmission and shows a later transmission.
type undecidedDelay struct {
	first   firstArrival
	sent    int64 // ns
	inOrder int64 // when it was in order, ns
	n       int64 // bytes
}

// firstArrival tells when data first arrived, ns, and on which subflow of the
// receiving host's capture.
type firstArrival struct {
	time int64
	sub  int32
}

// maxUndecided bounds the undecided delays of one direction of a connection. At
// the bound they are decided by the delays of packets known by then.
const maxUndecided = 1 << 12

// possibility says whether a transmission can have brought data.
type possibility uint8

const (
	unknown    possibility = iota // no packet of the subflow has a delay yet
	impossible                    // quicker than any packet
	possible
)

// couldBring compares a transmission with the first arrival of its data. The
// transmission that arrived first was sent at the same time as the first transmission,
// or later.
func (d *matchedDataDir) couldBring(sent int64, first firstArrival) possibility {
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

// addDelay adds a delay to the distribution, or keeps it until it can be
// decided.
func (d *matchedDataDir) addDelay(x undecidedDelay) {
	if d.couldBring(x.sent, x.first) == possible {
		d.Delivery.Add(x.inOrder, x.inOrder-x.sent, x.n)
		return
	}
	if len(d.undecided) >= maxUndecided {
		d.decideDelays()
	}
	d.undecided = append(d.undecided, x)
}

// decideDelays decides, by the packet delays known by now, on the delays that
// were kept. Where no packet of a subflow is in both captures, the delays of
// its data are accepted.
func (d *matchedDataDir) decideDelays() {
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
