package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// Fate says what happened to a packet with payload.
type Fate uint8

// The fates.
const (
	FateArrived     Fate = iota // seen in both captures
	FateLost                    // sent, and never seen at the other host
	FateNotCovered              // sent while the other capture was not running
	FateNotCaptured             // acknowledged, but the other capture missed it
	FateDuplicate               // arrived once more than it was sent: the network duplicated it
	FateUnsent                  // arrived, but the capture at its sender missed it
)

// String returns the name that tables use.
func (f Fate) String() string {
	return [...]string{"arrived", "lost", "not_covered", "not_captured", "duplicate", "not_captured_at_sender"}[f]
}

// Packet is a packet with payload, or a part of one if its parts have different
// fates.
// Times are by the clocks of their captures, ns; 0 = not seen.
type Packet struct {
	Sub        *conn.Subflow // in the sender's capture
	From       conn.Side     // as the sender's capture calls it
	Fate       Fate
	SentNum    uint64 // packet numbers in their captures; 0 = not seen
	ArrivedNum uint64
	Sent       int64
	Arrived    int64
	SSN        int64 // of its first byte
	Length     int64
	At         End // the capture at the host that sent it
}

// emit hands out the part r of a packet: of a sent one, an arrived one, or both.
func (d *matchedSubflowDir) emit(c *sentPart, a *arrivedPart, r ssnRange, fate Fate) {
	out := d.both.pair.opt.Packet
	if out == nil {
		return
	}
	p := Packet{Sub: d.both.ends[AtSender].sub, From: d.side, Fate: fate, SSN: int64(r.Start), Length: r.Len(), At: d.from}
	if c != nil {
		p.Sent, p.SentNum = c.time, c.num
	}
	if a != nil {
		p.Arrived, p.ArrivedNum = a.time, a.num
	}
	out(&p)
}

// arrival estimates when a packet sent at time t arrives, by the receiving
// capture's clock.
func (d *matchedSubflowDir) arrival(t int64) int64 { return d.after(t, d.lastDelay) }

// after returns when a packet sent at time t arrives if it takes a delay; while
// no delay is known, when it arrives if it takes no time.
func (d *matchedSubflowDir) after(t, delay int64) int64 {
	switch {
	case d.hasDelay:
		return t + delay
	case d.from == AtSender:
		return t + d.both.pair.opt.RoughLead
	}
	return t - d.both.pair.opt.RoughLead
}

// fateOf decides on a part of a sent packet that was not seen to arrive.
func (d *matchedSubflowDir) fateOf(c *sentPart) Fate {
	far := d.from.Other()
	there := &d.both.pair.captures[far]
	switch {
	case d.after(c.time, d.firstDelay) < there.first && d.noSYN[far]:
		return FateNotCovered
	case d.arrival(c.time) > there.last && there.stoppedEarly:
		return FateNotCovered
	case c.End <= d.acknowledged() && d.arrivedRanges.Disjoint(c.ssnRange) && !d.sentAgain(c):
		return FateNotCaptured
	}
	return FateLost
}

// sentAgain reports whether a part was sent again, so that the later packet may
// have arrived instead.
func (d *matchedSubflowDir) sentAgain(c *sentPart) bool {
	for o := range d.inFlight.From(d.inFlight.overlapping(c.Start)) {
		if o.Start >= c.End {
			break
		}
		if o.ordinal > c.ordinal && o.Overlaps(c.ssnRange) {
			return true
		}
	}
	return false
}

// decide decides on the unmatched part at a place of the queue and removes it; overflow
// says that it has to make room. It returns the place of the next part.
func (d *matchedSubflowDir) decide(at seq.Place, overflow bool) (next seq.Place) {
	c := *d.inFlight.At(at)
	fate := d.fateOf(&c)
	if far := &d.both.pair.captures[d.from.Other()]; overflow && far.ended {
		fate = FateNotCovered
	}
	n := segments(c.Len(), c.segmentBytes)
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
	return d.inFlight.Remove(at, 1)
}

// decideArrival decides on an arrival that fits no sent packet.
func (d *matchedSubflowDir) decideArrival(a *arrivedPart) {
	n := segments(a.Len(), a.segmentBytes)
	if d.sentRanges.Covers(a.ssnRange) {
		d.Duplicated += n
		d.emit(nil, a, a.ssnRange, FateDuplicate)
		return
	}
	d.Unsent += n
	d.emit(nil, a, a.ssnRange, FateUnsent)
}

// expire decides on packets that have waited longer than the timeout.
func (d *matchedSubflowDir) expire() {
	near, far := &d.both.pair.captures[d.from], &d.both.pair.captures[d.from.Other()]
	for at := d.inFlight.First(); d.inFlight.At(at) != nil; {
		if far.last-d.arrival(d.inFlight.At(at).time) > lossTimeout {
			at = d.decide(at, false)
		} else {
			at = d.inFlight.Next(at)
		}
	}
	keep := d.unmatched[:0]
	for i := range d.unmatched {
		if a := &d.unmatched[i]; near.last-(a.time-d.arrival(0)) > lossTimeout {
			d.decideArrival(a)
		} else {
			keep = append(keep, *a)
		}
	}
	d.unmatched = keep
}

// checkEarlyStop notes whether the sending host went on to send after its
// capture had ended.
func (d *matchedSubflowDir) checkEarlyStop() {
	near := &d.both.pair.captures[d.from]
	latest := near.last + max(d.arrival(0), d.mostDelay) // arrival of the packet sent last
	for i := range d.unmatched {
		if d.unmatched[i].time > latest {
			near.stoppedEarly = true
		}
	}
	if d.pureAcks.latestArrival() > latest {
		near.stoppedEarly = true
	}
}
