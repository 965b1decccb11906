package pair

import (
	"math"

	"mpanalyze/internal/stats"
)

// The samples that a drift or a step of the clocks is taken out of at the end:
// every delay up to maxPerLane in one direction, then every second one, and so
// on; maxSamples in all, besides the fewSamples that every direction may have.
// A 99th percentile of maxPerLane samples is one between 98.8 and 99.2 %.
const (
	maxPerLane = 1 << 13
	maxSamples = 1 << 18
	fewSamples = 32
)

// budget is what is left of maxSamples; below 0 by the few that are free.
type budget struct{ left int }

// sample is a delay as the stamps give it.
type sample struct {
	time   int64 // of the arrival, by its capture's clock, ns
	delay  int64 // ns
	weight int32
}

// sampler is a systematic sample of delays.
type sampler struct {
	list   []sample
	stride int64 // every how many-th delay is kept; a power of two
	n      int64
	next   int64   // the number of the delay that is kept next
	budget *budget // nil where no samples are wanted
}

func (s *sampler) add(t, delay, weight int64) {
	if s.n++; s.n > s.next {
		s.keep(t, delay, weight)
	}
}

// keep takes a delay whose turn it is.
func (s *sampler) keep(t, delay, weight int64) {
	if s.budget == nil {
		s.next = math.MaxInt64
		return
	}
	if few := len(s.list) < fewSamples; len(s.list) >= maxPerLane || s.budget.left <= 0 && !few {
		s.thin()
	}
	if s.budget.left > 0 || len(s.list) < fewSamples {
		s.list = append(s.list, sample{t, delay, int32(min(weight, 1<<30))})
		s.budget.left--
	}
	s.next = (s.n-1)&^(s.stride-1) + s.stride
}

// thin keeps every second sample.
func (s *sampler) thin() {
	n := 0
	for i := 0; i < len(s.list); i += 2 {
		s.list[n] = s.list[i]
		n++
	}
	s.budget.left += len(s.list) - n
	s.list = s.list[:n]
	s.stride *= 2
}

// Delays is a distribution of one-way delays as the stamps give them, and what
// is needed to correct them.
type Delays struct {
	// Raw holds the delays less base, ms. A distribution of many values keeps
	// them to 1/256 of their size: with a lead of 10 s inside, that would be
	// 40 ms.
	Raw     stats.Dist
	base    int64 // ns: about what the lead of the receiver's clock adds to a delay
	samples []sample
	byBytes bool // a sample weighs by its bytes; otherwise it stands for as many segments
	ahead   bool // the arrivals were stamped by the receiver's capture, whose lead is in them
}

// leads says which capture is at the sending host, and about how far the
// receiver's clock is ahead, ns. It is called before the first delay is added.
func (d *Delays) leads(out End, lead int64) {
	d.ahead, d.base = out == AtSender, lead
	if !d.ahead {
		d.base = -lead
	}
}

// raw returns what Raw holds of a delay.
func (d *Delays) raw(delay int64) float64 { return ms(delay - d.base) }

// ring is how many packets back a neighbour in the order of sending is known.
const neighbours = 256

// recent is a packet that arrived lately.
type recent struct{ ordinal, delay int64 }

// gap is an arrival that left a gap behind, and when that was.
type gap struct{ ordinal, time int64 }

// delays turns matched packets into figures.
type arrivalOrder struct {
	owd, acks sampler

	lastDelay    int64 // delay of the latest arrival
	begun        bool
	jitter       float64  // ns
	highest      int64    // largest ordinal that has arrived
	highestDelay int64    // its delay
	recent       []recent // by ordinal, modulo a power of two; at most ring
	gaps         []gap    // arrivals that left a gap behind, the oldest overwritten; at most ring
	next         int
}

func (f *arrivalOrder) init(p *Pair) {
	f.owd.stride, f.acks.stride = 1, 1
	if p.opt.Drift {
		f.owd.budget, f.acks.budget = p.samples, p.samples
	}
}

// ms converts nanoseconds.
func ms(ns int64) float64 { return float64(ns) / 1e6 }

// add takes an arrival at a time with the part of a packet that counts n segments.
func (f *arrivalOrder) add(d *matchedDirection, c *sentPart, now, delay, n int64) {
	f.owd.add(now, delay, n)
	if n == 1 {
		d.OWD.Raw.Add(d.OWD.raw(delay))
	} else {
		d.OWD.Raw.AddRepeated(d.OWD.raw(delay), n)
	}
	if f.begun {
		diff := float64(abs(delay - f.lastDelay))
		f.jitter += (diff - f.jitter) / 16 // RFC 3550, Section 6.4.1
		d.Jitter.Add(f.jitter / 1e6)
	}
	f.lastDelay, f.begun = delay, true
	if !c.partMatched {
		f.place(d, c.ordinal, delay, now)
	}
}

// place compares a packet with others by the order of sending. Most arrive in
// that order and none is missing.
func (f *arrivalOrder) place(d *matchedDirection, ordinal, delay, now int64) {
	if ordinal == f.highest+1 && ordinal > 1 {
		d.IPDV.Add(ms(delay - f.highestDelay))
		f.highest = ordinal
	} else {
		f.variation(d, ordinal, delay)
		f.order(d, ordinal, now)
	}
	if ordinal == f.highest {
		f.highestDelay = delay
	}
	if ordinal >= int64(len(f.recent)) && len(f.recent) < neighbours {
		f.widen(ordinal)
	}
	f.recent[ordinal&int64(len(f.recent)-1)] = recent{ordinal, delay}
}

// widen makes place for a packet as long as none has the place of another:
// most directions never need all.
func (f *arrivalOrder) widen(ordinal int64) {
	n := max(16, 2*len(f.recent))
	for int64(n) <= ordinal && n < neighbours {
		n *= 2
	}
	wide := make([]recent, n)
	for _, x := range f.recent {
		wide[x.ordinal&int64(n-1)] = x
	}
	f.recent = wide
}

// known returns the delay of a packet that arrived lately.
func (f *arrivalOrder) known(ordinal int64) (delay int64, ok bool) {
	if ordinal <= 0 || len(f.recent) == 0 {
		return 0, false
	}
	x := &f.recent[ordinal&int64(len(f.recent)-1)]
	return x.delay, x.ordinal == ordinal
}

// variation compares a packet with its neighbours in the order of sending
// (RFC 3393, Section 2.2), whichever of them came first.
func (f *arrivalOrder) variation(d *matchedDirection, ordinal, delay int64) {
	if before, ok := f.known(ordinal - 1); ok {
		d.IPDV.Add(ms(delay - before))
	}
	if after, ok := f.known(ordinal + 1); ok {
		d.IPDV.Add(ms(after - delay))
	}
}

// order finds packets that others overtook on the way (RFC 4737, Section 3,
// with the order of sending for the sequence), and how late they are (4.3).
func (f *arrivalOrder) order(d *matchedDirection, ordinal, now int64) {
	if ordinal > f.highest {
		if ordinal > f.highest+1 {
			f.keepGap(gap{ordinal, now})
		}
		f.highest = ordinal
		return
	}
	d.Reordered++
	earliest := int64(0)
	for i := f.next - 1; i >= max(0, f.next-neighbours); i-- { // they ascend
		x := &f.gaps[i%neighbours]
		if x.ordinal < ordinal {
			break
		}
		earliest = x.time
	}
	if earliest != 0 {
		d.ReorderExtent.Add(ms(now - earliest))
	}
}

// overtakes keeps an arrival that left a gap behind.
func (f *arrivalOrder) keepGap(g gap) {
	if len(f.gaps) < neighbours {
		f.gaps = append(f.gaps, g)
	} else {
		f.gaps[f.next%neighbours] = g
	}
	f.next++
}

// bare takes the delay of a packet without payload.
func (f *arrivalOrder) bare(d *matchedDirection, t, delay int64) {
	f.acks.add(t, delay, 1)
	d.AckOWD.Raw.Add(d.AckOWD.raw(delay))
}

// finish hands the figures over.
func (f *arrivalOrder) finish(l *matchedDirection) {
	d := &l.Dir
	d.OWD.samples, d.AckOWD.samples = f.owd.list, f.acks.list
	f.owd.list, f.acks.list = nil, nil
}
