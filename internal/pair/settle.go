package pair

import (
	"mpanalyze/internal/conn"
)

// Fate is what became of a packet with payload.
type Fate uint8

// The fates.
const (
	FateArrived     Fate = iota // seen in both captures
	FateLost                    // sent, and never seen at the other host
	FateNotCovered              // sent while the other capture was not running
	FateNotCaptured             // acknowledged, but the other capture missed it
	FateDuplicate               // arrived, and was sent once less: the network copied it
	FateUnsent                  // arrived, but the capture at its sender missed it
)

// String returns the name that tables use.
func (f Fate) String() string {
	return [...]string{"arrived", "lost", "not_covered", "not_captured", "duplicate", "not_captured_at_sender"}[f]
}

// Packet is a packet with payload, or the part of it that shares one fate.
// Times are by the clocks of their captures, ns; 0 = not seen.
type Packet struct {
	Sub        *conn.Subflow // in the sender's capture
	From       conn.Side     // as the sender's capture calls it
	Fate       Fate
	SentNum    uint64 // packet numbers in their captures; 0 = not seen
	ArrivedNum uint64
	Sent       int64
	Arrived    int64
	SSN        int64 // of its first octet
	Length     int64
	At         End // the capture at the host that sent it
}

// row hands out one packet.
func (d *matchedDirection) emit(c *sentPart, a *arrivedPart, r ssnRange, fate Fate) {
	if !d.wantRows {
		return
	}
	p := Packet{Sub: d.link.ends[AtSender].sub, From: d.side, Fate: fate, SSN: int64(r.Start), Length: r.Len(), At: d.from}
	if c != nil {
		p.Sent, p.SentNum = c.time, c.num
	}
	if a != nil {
		p.Arrived, p.ArrivedNum = a.time, a.num
	}
	d.link.pair.opt.Packet(&p)
}

// due returns about when a packet sent at time t arrives, by the receiving
// capture's clock.
func (d *matchedDirection) arrivalOf(t int64) int64 { return d.after(t, d.lastDelay) }

// after returns when it does after a delay, or, where no delay is known yet,
// when it does at once.
func (d *matchedDirection) after(t, delay int64) int64 {
	switch {
	case d.hasDelay:
		return t + delay
	case d.from == AtSender:
		return t + d.link.pair.opt.Rough
	}
	return t - d.link.pair.opt.Rough
}

// fate decides on a sent run that was not seen to arrive.
func (d *matchedDirection) fateOf(c *sentPart) Fate {
	far := d.from.Other()
	there := &d.link.pair.captures[far]
	due := d.arrivalOf(c.time)
	switch {
	case d.after(c.time, d.firstDelay) < there.first && d.noSYN[far]:
		return FateNotCovered
	case due > there.last && there.stoppedEarly:
		return FateNotCovered
	case c.End <= d.acknowledged() && d.arrivedRanges.disjoint(c.ssnRange) && !d.sentAgain(c):
		return FateNotCaptured
	}
	return FateLost
}

// followed reports whether a later copy of a run may have arrived instead.
func (d *matchedDirection) sentAgain(c *sentPart) bool {
	q := &d.inFlight
	for i := q.search(c.Start - q.longest); i < len(q.list) && q.list[i].Start < c.End; i++ {
		if o := &q.list[i]; !o.done && o.ordinal > c.ordinal && o.Overlaps(c.ssnRange) {
			return true
		}
	}
	return false
}

// settle decides on the unmatched run i and forgets it.
func (d *matchedDirection) giveUp(i int, overflow bool) {
	c := d.inFlight.list[i]
	fate := d.fateOf(&c)
	if far := &d.link.pair.captures[d.from.Other()]; overflow && far.ended {
		fate = FateNotCovered
	}
	n := segments(c.Len(), c.unit)
	switch fate {
	case FateLost:
		d.Lost += n
		d.LostBytes += c.Len()
	case FateNotCovered:
		d.NotCovered += n
	default:
		d.NotCaptured += n
	}
	d.emit(&c, nil, c.ssnRange, fate)
	d.inFlight.remove(i)
}

// lonely decides on an arrival of which no sent copy is left.
func (d *matchedDirection) decideArrival(a *arrivedPart) {
	fate := FateUnsent
	if d.sentRanges.covers(a.ssnRange) {
		fate = FateDuplicate
	}
	if fate == FateDuplicate {
		d.Duplicated += segments(a.Len(), a.unit)
	} else {
		d.Unsent += segments(a.Len(), a.unit)
	}
	d.emit(nil, a, a.ssnRange, fate)
}

// sweep settles what has waited longer than the horizon.
func (d *matchedDirection) expire() {
	near, far := &d.link.pair.captures[d.from], &d.link.pair.captures[d.from.Other()]
	for i := d.inFlight.head; i < len(d.inFlight.list); i++ {
		if c := &d.inFlight.list[i]; !c.done && far.last-d.arrivalOf(c.time) > lossTimeout {
			d.giveUp(i, false)
			i = max(i, d.inFlight.head-1)
		}
	}
	keep := d.unmatched[:0]
	for i := range d.unmatched {
		if a := &d.unmatched[i]; near.last-(a.time-d.arrivalOf(0)) > lossTimeout {
			d.decideArrival(a)
		} else {
			keep = append(keep, *a)
		}
	}
	d.unmatched = keep
}

// overrun notes whether the sending host went on after its capture had ended.
func (d *matchedDirection) noteOverrun() {
	near := &d.link.pair.captures[d.from]
	edge := near.last + max(d.arrivalOf(0), d.mostDelay)
	for i := range d.unmatched {
		if d.unmatched[i].time > edge {
			near.stoppedEarly = true
		}
	}
	if d.pureAcks.latest() > edge {
		near.stoppedEarly = true
	}
}

// finish settles everything.
func (d *matchedDirection) finish() {
	for d.inFlight.len() > 0 {
		d.giveUp(d.inFlight.head, false)
	}
	for i := range d.unmatched {
		d.decideArrival(&d.unmatched[i])
	}
	d.unmatched = nil
	d.inFlight = sentQueue{}
	d.pureAcks = pureAcks{}
	d.order.finish(d)
}
