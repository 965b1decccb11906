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
func (d *lane) row(c *sentCopy, a *arrival, r span, fate Fate) {
	if !d.rows {
		return
	}
	p := Packet{Sub: d.l.flows[AtSender].sub, From: d.side, Fate: fate, SSN: int64(r.Start), Length: r.Len(), At: d.out}
	if c != nil {
		p.Sent, p.SentNum = c.time, c.num
	}
	if a != nil {
		p.Arrived, p.ArrivedNum = a.time, a.num
	}
	d.l.p.opt.Packet(&p)
}

// due returns about when a packet sent at time t arrives, by the receiving
// capture's clock.
func (d *lane) due(t int64) int64 { return d.after(t, d.latest) }

// after returns when it does after a delay, or, where no delay is known yet,
// when it does at once.
func (d *lane) after(t, delay int64) int64 {
	switch {
	case d.hasDelay:
		return t + delay
	case d.out == AtSender:
		return t + d.l.p.opt.Rough
	}
	return t - d.l.p.opt.Rough
}

// fate decides on a sent run that was not seen to arrive.
func (d *lane) fate(c *sentCopy) Fate {
	far := d.out.Other()
	there := &d.l.p.ends[far]
	due := d.due(c.time)
	switch {
	case d.after(c.time, d.initial) < there.first && d.headless[far]:
		return FateNotCovered
	case due > there.last && there.beyond:
		return FateNotCovered
	case c.End <= d.acked() && d.got.disjoint(c.span) && !d.followed(c):
		return FateNotCaptured
	}
	return FateLost
}

// followed reports whether a later copy of a run may have arrived instead.
func (d *lane) followed(c *sentCopy) bool {
	q := &d.flying
	for i := q.from(c.Start - q.wide); i < len(q.list) && q.list[i].Start < c.End; i++ {
		if o := &q.list[i]; !o.done && o.ordinal > c.ordinal && o.Overlaps(c.span) {
			return true
		}
	}
	return false
}

// settle decides on the unmatched run i and forgets it.
func (d *lane) settle(i int, overflow bool) {
	c := d.flying.list[i]
	fate := d.fate(&c)
	if far := &d.l.p.ends[d.out.Other()]; overflow && far.ended {
		fate = FateNotCovered
	}
	n := units(c.Len(), c.unit)
	switch fate {
	case FateLost:
		d.Lost += n
		d.LostBytes += c.Len()
	case FateNotCovered:
		d.NotCovered += n
	default:
		d.NotCaptured += n
	}
	d.row(&c, nil, c.span, fate)
	d.flying.remove(i)
}

// lonely decides on an arrival of which no sent copy is left.
func (d *lane) lonely(a *arrival) {
	fate := FateUnsent
	if d.posted.covers(a.span) {
		fate = FateDuplicate
	}
	if fate == FateDuplicate {
		d.Duplicated += units(a.Len(), a.unit)
	} else {
		d.Unsent += units(a.Len(), a.unit)
	}
	d.row(nil, a, a.span, fate)
}

// sweep settles what has waited longer than the horizon.
func (d *lane) sweep() {
	near, far := &d.l.p.ends[d.out], &d.l.p.ends[d.out.Other()]
	for i := d.flying.head; i < len(d.flying.list); i++ {
		if c := &d.flying.list[i]; !c.done && far.last-d.due(c.time) > Horizon {
			d.settle(i, false)
			i = max(i, d.flying.head-1)
		}
	}
	keep := d.orphans[:0]
	for i := range d.orphans {
		if a := &d.orphans[i]; near.last-(a.time-d.due(0)) > Horizon {
			d.lonely(a)
		} else {
			keep = append(keep, *a)
		}
	}
	d.orphans = keep
}

// overrun notes whether the sending host went on after its capture had ended.
func (d *lane) overrun() {
	near := &d.l.p.ends[d.out]
	edge := near.last + max(d.due(0), d.most)
	for i := range d.orphans {
		if d.orphans[i].time > edge {
			near.beyond = true
		}
	}
	if d.minis.latest() > edge {
		near.beyond = true
	}
}

// finish settles everything.
func (d *lane) finish() {
	for d.flying.len() > 0 {
		d.settle(d.flying.head, false)
	}
	for i := range d.orphans {
		d.lonely(&d.orphans[i])
	}
	d.orphans = nil
	d.flying = copies{}
	d.minis = minis{}
	d.flow.finish(d)
}
