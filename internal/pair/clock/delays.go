package clock

import (
	"math"

	"mpanalyze/internal/stats"
)

// A drift or a step of the clocks is known only at the end, and then taken out
// of samples. Every delay of a direction is a sample, up to maxPerDirection;
// then every second one, and so on. All directions together have at most
// maxSamples, but each may have fewSamples in any case. With maxPerDirection
// samples, the 99th percentile of the samples lies between the 98.8th and the
// 99.2nd of all delays.
const (
	maxPerDirection = 1 << 13
	maxSamples      = 1 << 18
	fewSamples      = 32
)

// sampleBudget counts how many of maxSamples are left. It can fall below 0, as
// every direction may have fewSamples.
type sampleBudget struct{ left int }

// sample is a delay as the captures give it.
type sample struct {
	time   int64 // of the arrival, by its capture's clock, ns
	delay  int64 // ns
	weight int32
}

// sampler keeps every n-th delay; n is stride.
type sampler struct {
	list   []sample
	stride int64 // a power of two
	n      int64
	next   int64         // the number of the delay that is kept next
	budget *sampleBudget // nil where no samples are wanted
}

func (s *sampler) add(arrived, delay, weight int64) {
	if s.n++; s.n > s.next {
		s.keep(arrived, delay, weight)
	}
}

// keep takes a delay whose turn has come.
func (s *sampler) keep(arrived, delay, weight int64) {
	if s.budget == nil {
		s.next = math.MaxInt64
		return
	}
	s.stride = max(s.stride, 1)
	if few := len(s.list) < fewSamples; len(s.list) >= maxPerDirection || s.budget.left <= 0 && !few {
		s.thin()
	}
	if s.budget.left > 0 || len(s.list) < fewSamples {
		s.list = append(s.list, sample{arrived, delay, int32(min(weight, 1<<30))})
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

// Delays is a distribution of one-way delays with the times as the captures
// give them, and the samples that are needed to correct it.
type Delays struct {
	// Raw holds the delays less base, ms. A percentile of many values is only
	// exact to 1/256 of a value: without base, a delay with a lead of 10 s
	// would be uncertain by 40 ms.
	Raw      stats.Dist
	base     int64 // ns: about how much the lead of the receiver's clock adds to a delay; from the value rebaseAt on the least delay before
	from     End
	weighted bool // a delay counts by its bytes, not by its segments
	samples  sampler
}

// NewDelays returns an empty distribution of delays of packets that one end
// sent. The receiver's clock is about lead ahead, ns. Delays count by their
// bytes if byBytes is set, otherwise by their segments.
func (e *Estimator) NewDelays(from End, lead int64, byBytes bool) Delays {
	base := lead
	if from == AtReceiver {
		base = -lead
	}
	return Delays{from: from, base: base, weighted: byBytes, samples: sampler{budget: e.samples}}
}

// rebaseAt is the number of a delay at which all delays before it are still kept.
const rebaseAt = stats.ExactLimit

// rebase makes the least delay so far the base. A value is then no larger than the time
// that the delay exceeds the least, whatever the lead, which is known only at the end.
func (d *Delays) rebase() {
	by := math.Round(d.Raw.Min() * 1e6)
	if d.Raw.Map(func(v float64) float64 { return (math.Round(v*1e6) - by) / 1e6 }) {
		d.base += int64(by)
	}
}

// Add takes a delay, ns, of n segments or bytes, and the time of their arrival.
func (d *Delays) Add(arrived, delay, n int64) {
	if d.samples.add(arrived, delay, n); d.samples.n == rebaseAt {
		d.rebase()
	}
	switch v := ms(delay - d.base); {
	case d.weighted:
		d.Raw.AddWeighted(v, float64(n))
	case n == 1:
		d.Raw.Add(v)
	default:
		d.Raw.AddRepeated(v, n)
	}
}

// Correct returns the distribution of delays, ms, without drift and step of the
// clocks. The caller must add shift to every value. No packet arrives before it
// was sent: a delay that is below 0 by more than clocks that agree may differ has
// a wrong time, and is left out. If there are many, the other times cannot be right
// either: then out is empty. Without samples, where the times are trusted, all
// delays stay.
func (c *Estimate) Correct(d *Delays) (out *stats.Dist, shift float64) {
	sign := d.from.sign()
	if c.DriftPPM == 0 && c.StepMS == 0 {
		shift = ms(d.base) - sign*c.OffsetMS
		if d.samples.budget == nil || d.Raw.Min()+shift >= 0 {
			return &d.Raw, shift
		}
	}
	out = new(stats.Dist)
	odd := 0
	for _, s := range d.samples.list {
		if c.step.repeats() && c.step.near(d.from, s.time, s.delay) {
			continue
		}
		t := s.time
		if d.from == AtSender {
			t -= c.step.roughLead
		}
		lead := c.OffsetMS + c.DriftPPM/1e3*float64(t-c.Start)/1e9
		v := c.step.takeOut(d.from, s.time, s.delay) - sign*lead
		if v < -agreement {
			odd++
			continue
		}
		v = max(v, 0)
		if d.weighted {
			out.AddWeighted(v, float64(s.weight))
		} else {
			out.AddRepeated(v, int64(s.weight))
		}
	}
	if odd > max(1, len(d.samples.list)/manyLeast) {
		return new(stats.Dist), 0
	}
	return out, 0
}
