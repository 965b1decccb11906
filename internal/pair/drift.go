package pair

import (
	"cmp"
	"math"
	"slices"
)

// rate is how fast one clock gains on another, ms/s, and its standard error.
type rate struct{ rho, sigma float64 }

// unknown is a rate of which nothing is known.
var unknown = rate{sigma: math.Inf(1)}

// differs reports whether the rate is not v, by so many standard errors.
func (r rate) differs(v, errors float64) bool { return math.Abs(r.rho-v) > errors*r.sigma }

// delayRate finds the rate that the delays of all paths and both directions
// have in common: one direction gains what the other one loses.
func (c *Clock) delayRate(k *clock) (r rate, span float64) {
	var fits []fit
	for _, p := range k.order {
		for e := range p.trails {
			sign := 1.0
			if End(e) == AtReceiver {
				sign = -1
			}
			for i := range p.trails[e] {
				if f, ok := line(c.points(k, End(e), &p.trails[e][i]), sign); ok {
					fits = append(fits, f)
					span = max(span, f.span)
				}
			}
		}
	}
	return common(fits), span
}

// common is the mean of the slopes, each in the measure of its own certainty.
// What no clock does is left out: a foot that climbs as a queue does when a
// sender starts.
func common(fits []fit) rate {
	return weigh(near(slices.DeleteFunc(fits, func(f fit) bool { return math.Abs(f.slope)-stray*f.sigma > maxDrift/1e3 })))
}

// weigh returns the mean.
func weigh(fits []fit) rate {
	var sum, weight, spread float64
	for _, f := range fits {
		w := 1 / (f.sigma * f.sigma)
		sum += w * f.sign * f.slope
		weight += w
	}
	if weight == 0 {
		return unknown
	}
	r := rate{rho: sum / weight}
	for _, f := range fits {
		spread += (f.sign*f.slope - r.rho) * (f.sign*f.slope - r.rho) / (f.sigma * f.sigma)
	}
	// Series that differ by more than they claim to be certain are less certain
	// by that factor (Birge, 1932).
	r.sigma = math.Sqrt(max(1, spread/float64(max(1, len(fits)-1))) / weight)
	return r
}

// near leaves out series that are far from what most of the evidence says,
// measured by their own certainty.
func near(fits []fit) []fit {
	slices.SortFunc(fits, func(a, b fit) int { return cmp.Compare(a.sign*a.slope, b.sign*b.slope) })
	half := 0.0
	for _, f := range fits {
		half += 1 / f.sigma / 2
	}
	mid := 0.0
	for _, f := range fits {
		if half -= 1 / f.sigma; half <= 0 {
			mid = f.sign * f.slope
			break
		}
	}
	return slices.DeleteFunc(fits, func(f fit) bool { return math.Abs(f.sign*f.slope-mid) > 2*stray*f.sigma })
}

// stray is how many standard errors are taken for chance.
const stray = 3

// stampRate compares the stamps of both captures with the timestamps that the
// hosts beside them write: by how much more the receiver's gain on its host's
// than the sender's do.
func (c *Clock) stampRate(k *clock) (r rate, span float64) {
	var ends [2][]fit
	for _, v := range k.voices {
		if f, ok := line(c.heard(v), 1); ok {
			ends[v.end] = append(ends[v.end], f)
			span = max(span, f.span)
		}
	}
	s, t := common(ends[AtSender]), common(ends[AtReceiver])
	return rate{t.rho - s.rho, math.Hypot(t.sigma, s.sigma)}, span
}

// How sure a drift has to be.
const (
	// statedErrors is how many standard errors are stated, so that the truth is
	// within them in 95 % of sessions whose queues fill and drain: two would be
	// enough if the standard errors were known instead of estimated.
	statedErrors = 3.0
	sureErrors   = 4.0  // standard errors from nothing
	sureMS       = 0.05 // what it adds up to over the captures, ms
	// refuted is by how many standard errors the delays have to differ from the
	// rate that stamps and timestamps show to be believed instead.
	refuted = 4.0
)

// stepSlope is the slope, over the whole span, of a step of 1 in its middle.
const stepSlope = 1.5

// crystals is by how many parts per million the clocks of two hosts differ at
// most.
const crystals = 200

// drift decides on the rate. What stamps gain on the timestamps of their own
// host is seen without a path between; the hosts' own clocks are taken to run
// alike unless the delays prove otherwise. The error that is stated is in any
// case the one that the delays leave room for. The standard error of the step
// that was taken out of both, in ms, adds to theirs.
func (c *Clock) drift(k *clock, m Mode, step float64) float64 {
	delays, span := c.delayRate(k)
	stamps, heard := c.stampRate(k)
	if span > 0 {
		delays.sigma = math.Hypot(delays.sigma, stepSlope*step/span)
	}
	if heard > 0 {
		stamps.sigma = math.Hypot(stamps.sigma, stepSlope*step/heard)
	}
	choice := delays
	c.drifted = "slopes of the least delays"
	bound := math.Inf(1)
	if known := !math.IsInf(stamps.sigma, 1); known && math.Abs(delays.rho-stamps.rho) <= refuted*math.Hypot(delays.sigma, stamps.sigma) {
		choice, span, bound = together(delays, stamps), max(span, heard), crystals
		c.drifted = "stamps against TCP timestamps, which the delays do not contradict"
	}
	proven := choice.differs(0, sureErrors) && math.Abs(choice.rho)*span > sureMS && math.Abs(choice.rho)*1e3 < maxDrift
	if m == Offset || m == Auto && !proven || math.IsInf(choice.sigma, 1) {
		choice.rho, bound = 0, math.Inf(1)
	}
	c.DriftUncertainty = -1
	if u := min(bound, 1e3*(math.Abs(delays.rho-choice.rho)+statedErrors*math.Hypot(delays.sigma, choice.sigma))); !math.IsInf(u, 1) {
		c.DriftUncertainty = u
	}
	return choice.rho
}

// together is the mean of two rates in the measure of their certainty.
func together(a, b rate) rate {
	if math.IsInf(a.sigma, 1) {
		return b
	}
	u, v := 1/(a.sigma*a.sigma), 1/(b.sigma*b.sigma)
	return rate{(u*a.rho + v*b.rho) / (u + v), 1 / math.Sqrt(u+v)}
}
