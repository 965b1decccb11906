package clock

import (
	"cmp"
	"math"
	"slices"
)

// rate is how fast one clock gains on another, ms/s, and its standard error,
// which is infinite if the rate is not known.
type rate struct{ gain, sigma float64 }

// differs reports whether the rate differs from v by more than a number of
// standard errors.
func (r rate) differs(v, errors float64) bool { return math.Abs(r.gain-v) > errors*r.sigma }

// stray is by how many standard errors a value may deviate by chance.
const stray = 3

// delayRate finds the rate of the clocks from the delays of all paths: a drift
// makes the delays of one direction grow as fast as those of the other
// direction fall. It also returns the longest time that a series covers, s.
func (e *Estimator) delayRate(st *step) (r rate, span float64) {
	var slopes []slope
	for _, p := range e.paths {
		for from := range p.dirs {
			for _, m := range p.dirs[from].filters() {
				if f, ok := fitLine(e.delayPoints(End(from), m, st)); ok {
					slopes = append(slopes, slope{End(from).sign() * f.slope, f.sigma})
					span = max(span, f.span)
				}
			}
		}
	}
	return commonRate(slopes), span
}

// timestampRate compares, at each host, the times of the capture with the TCP
// timestamps that the host writes. It returns how much faster the receiver's
// capture gains on its host than the sender's capture does.
func (e *Estimator) timestampRate(st *step) (r rate, span float64) {
	var ends [2][]slope
	for _, t := range e.tracks {
		if f, ok := fitLine(t.points(st)); ok {
			ends[t.at] = append(ends[t.at], slope{f.slope, f.sigma})
			span = max(span, f.span)
		}
	}
	s, t := commonRate(ends[AtSender]), commonRate(ends[AtReceiver])
	return rate{t.gain - s.gain, math.Hypot(t.sigma, s.sigma)}, span
}

// slope is the estimate of a rate, ms/s, or of the size of a step, ms, by one
// series, with its standard error.
type slope struct{ value, sigma float64 }

// commonRate returns the mean of slopes, each weighted by its certainty. It
// leaves out slopes that are too large for a clock: the least delays rise that
// fast when a sender starts and a queue fills.
func commonRate(slopes []slope) rate {
	slopes = slices.DeleteFunc(slopes, func(s slope) bool { return math.Abs(s.value)-stray*s.sigma > maxDrift/1e3 })
	return mean(withoutStrays(slopes))
}

// mean returns the mean of slopes, each weighted by its certainty.
func mean(slopes []slope) rate {
	var sum, weight, spread float64
	for _, s := range slopes {
		w := 1 / (s.sigma * s.sigma)
		sum += w * s.value
		weight += w
	}
	if weight == 0 {
		return rate{sigma: math.Inf(1)}
	}
	r := rate{gain: sum / weight}
	for _, s := range slopes {
		spread += (s.value - r.gain) * (s.value - r.gain) / (s.sigma * s.sigma)
	}
	// If slopes differ by more than their standard errors allow, all of them
	// are less certain by that factor (Birge, 1932).
	r.sigma = math.Sqrt(max(1, spread/float64(max(1, len(slopes)-1))) / weight)
	return r
}

// withoutStrays leaves out the slopes that are far from the weighted median,
// measured in their own standard errors.
func withoutStrays(slopes []slope) []slope {
	slices.SortFunc(slopes, func(a, b slope) int { return cmp.Compare(a.value, b.value) })
	half := 0.0
	for _, s := range slopes {
		half += 1 / s.sigma / 2
	}
	median := 0.0
	for _, s := range slopes {
		if half -= 1 / s.sigma; half <= 0 {
			median = s.value
			break
		}
	}
	return slices.DeleteFunc(slopes, func(s slope) bool { return math.Abs(s.value-median) > 2*stray*s.sigma })
}

// Thresholds for a drift.
const (
	// statedErrors is how many standard errors are reported as the uncertainty:
	// enough for 95 % of sessions whose queues fill and empty. Two would be
	// enough if the standard errors were known instead of estimated.
	statedErrors = 3.0
	sureErrors   = 4.0  // how many standard errors a drift must differ from zero
	sureMS       = 0.05 // how much a drift must add up to over the captures, ms
	// refuted is by how many standard errors the rate of the delays must differ
	// from the rate of the TCP timestamps before the timestamps are ignored.
	refuted = 4.0
	// stepSlope is the slope of a line fitted to a step of 1 in the middle of
	// the time, over the whole time.
	stepSlope = 1.5
	// maxDriftPPM is the largest difference between the clocks of two hosts, in
	// parts per million.
	maxDriftPPM = 200
)

// drift is by how much the receiver's clock gains on the sender's.
type drift struct {
	ppm         float64
	uncertainty float64 // ppm, at 95 %; negative where the delays tell nothing
	basis       string  // how the drift was found
}

// drift decides on the drift. TCP timestamps show it without a path between
// capture and host, but assume that the clocks of the two hosts run alike; so
// they are combined with the delays unless these contradict them. The
// uncertainty always comes from the delays. stepError is the standard error of
// the size of the step, ms, which adds to the standard error of the slopes.
func (e *Estimator) drift(m Mode, st *step, stepError float64) drift {
	delays, span := e.delayRate(st)
	timestamps, tsSpan := e.timestampRate(st)
	if span > 0 {
		delays.sigma = math.Hypot(delays.sigma, stepSlope*stepError/span)
	}
	if tsSpan > 0 {
		timestamps.sigma = math.Hypot(timestamps.sigma, stepSlope*stepError/tsSpan)
	}
	choice, limit := delays, math.Inf(1)
	d := drift{uncertainty: -1, basis: "slopes of the least delays"}
	if known := !math.IsInf(timestamps.sigma, 1); known && math.Abs(delays.gain-timestamps.gain) <= refuted*math.Hypot(delays.sigma, timestamps.sigma) {
		choice, span, limit = combined(delays, timestamps), max(span, tsSpan), maxDriftPPM
		d.basis = "stamps against TCP timestamps, which the delays do not contradict"
	}
	proven := choice.differs(0, sureErrors) && math.Abs(choice.gain)*span > sureMS && math.Abs(choice.gain)*1e3 < maxDrift
	if m == Offset || m == Auto && !proven || math.IsInf(choice.sigma, 1) {
		choice.gain, limit = 0, math.Inf(1)
	}
	if u := min(limit, 1e3*(math.Abs(delays.gain-choice.gain)+statedErrors*math.Hypot(delays.sigma, choice.sigma))); !math.IsInf(u, 1) {
		d.uncertainty = u
	}
	d.ppm = 1e3 * choice.gain // ms per s are 1000 ppm
	return d
}

// combined is the mean of two rates, weighted by their certainty.
func combined(a, b rate) rate {
	if math.IsInf(a.sigma, 1) {
		return b
	}
	u, v := 1/(a.sigma*a.sigma), 1/(b.sigma*b.sigma)
	return rate{(u*a.gain + v*b.gain) / (u + v), 1 / math.Sqrt(u+v)}
}
