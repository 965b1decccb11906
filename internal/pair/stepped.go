package pair

import (
	"cmp"
	"math"
	"slices"
)

// stepped is when and where a clock was set.
type stepped struct {
	there bool
	end   End
	at    int64 // the first stamp behind it, ns
	about int64 // its size and a little more, ns
	seen  bool  // in the stamps of that capture; otherwise at is a time of arrival by the sender's clock
}

// behind reports whether the step is in a delay, given with the time of the
// arrival, both by the stamps.
func (c *Clock) behind(out End, arrived, delay int64) bool {
	return c.stamp(out, arrived, delay) >= c.step.at
}

// unclear reports whether a delay was measured so near to a step that it may or
// may not be in it: stamps that were set back come twice.
func (c *Clock) unclear(out End, arrived, delay int64) bool {
	return c.step.there && abs(c.stamp(out, arrived, delay)-c.step.at) < c.step.about
}

// twice reports whether stamps were set back, so that some came twice.
func (c *Clock) twice() bool {
	return c.step.seen && (c.StepMS < 0) == (c.step.end == AtReceiver)
}

// stamp is the time of a delay that tells whether it is behind the step.
func (c *Clock) stamp(out End, arrived, delay int64) int64 {
	switch {
	case c.step.seen && out == c.step.end: // that capture stamped the packet where it left
		return arrived - delay
	case !c.step.seen && out == AtSender:
		return arrived - c.rough
	}
	return arrived
}

// arrival is the time of an arrival by its capture's stamps, given that since
// the clock's origin.
func (c *Clock) arrival(out End, t int64) int64 {
	if out == AtSender {
		t += c.rough
	}
	return t + c.origin
}

// plain returns a delay without the step, ms.
func (c *Clock) plain(out End, arrived, delay int64) float64 {
	d := ms(delay)
	if !c.step.there || !c.behind(out, arrived, delay) {
		return d
	}
	if out == AtSender {
		return d - c.StepMS
	}
	return d + c.StepMS
}

// points returns a trail without what is known of the step, as seconds by the
// sender's clock and milliseconds.
func (c *Clock) points(k *clock, out End, s *trail) []point {
	pts := make([]point, 0, len(s.list))
	for _, x := range s.list {
		if c.unclear(out, x.t, x.d) {
			continue
		}
		t := x.t - k.origin
		if out == AtSender {
			t -= c.rough
		}
		pts = append(pts, point{t: float64(t) / 1e9, d: c.plain(out, x.t, x.d), behind: c.step.there && c.behind(out, x.t, x.d)})
	}
	// Whichever capture was read first, sums are of the same order.
	slices.SortFunc(pts, func(a, b point) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.d, b.d)) })
	return pts
}

// heard returns the readings of a voice without what is known of the step, as
// seconds and milliseconds.
func (c *Clock) heard(v *voice) []point {
	pts := make([]point, 0, len(v.trail.list))
	by := c.StepMS
	if v.end == AtSender { // what the receiver's lead grows by, the sender's stamps fall back by
		by = -by
	}
	here := c.step.there && c.step.seen && v.end == c.step.end
	for _, x := range v.trail.list {
		p := point{t: float64(x.t-v.first) / 1e9, d: ms(x.d)}
		if here && abs(x.t-c.step.at) < c.step.about {
			continue // stamps that were set back come twice
		}
		if here && x.t >= c.step.at {
			p.behind = true
			p.d -= by
		}
		pts = append(pts, p)
	}
	return pts
}

// height measures the step, at once with the slopes, wherever it shows: by the
// mean over all series, each in the measure of its certainty. It returns the
// standard error.
func (c *Clock) height(k *clock) (sigma float64) {
	var fits []fit
	take := func(points []point, sign float64) {
		if f, ok := line(points, sign); ok && f.step != 0 {
			f.slope = f.step // for the mean
			f.sigma *= stepError * f.span
			fits = append(fits, f)
		}
	}
	for _, p := range k.order {
		for e, sign := range []float64{1, -1} {
			for i := range p.trails[e] {
				take(c.points(k, End(e), &p.trails[e][i]), sign)
			}
		}
	}
	for _, v := range k.voices {
		if c.step.seen && v.end == c.step.end {
			take(c.heard(v), []float64{-1, 1}[v.end])
		}
	}
	mean := weigh(near(fits))
	if math.IsInf(mean.sigma, 1) {
		return mean.sigma
	}
	c.StepMS = digits(c.StepMS + mean.rho)
	return mean.sigma
}

// stepError is the standard error of a step by that of a slope over the span:
// 4 s / sqrt(n) for a step in the middle, fitted with a slope, against sqrt(12)
// s / sqrt(n).
const stepError = 4 / 3.46
