package pair

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/stats"
)

// Mode says what to do about clocks that disagree.
type Mode uint8

// The modes.
const (
	Auto   Mode = iota // correct what the delays prove
	None               // trust the stamps
	Offset             // estimate an offset
	Drift              // estimate offset and drift
)

// Clock is how the receiver's clock stands to the sender's.
type Clock struct {
	OffsetMS    float64 // ahead of the sender's clock, at the first packet
	DriftPPM    float64 // gain on the sender's clock
	Uncertainty float64 // of the offset, ms, if both ways of a path take the same time at best
	// Bound is the error that an asymmetric path could cause, ms: half of the
	// least round trip. Negative where nothing was measured.
	Bound  float64
	Method string
	// A step of one clock against the other.
	StepMS float64 // by how much the receiver's lead grew; 0 = none noticed
	StepS  float64 // when, in seconds since Start

	Start int64 // ns, by the sender's clock
	rough int64
}

// agreement is the offset in ms below which two clocks are taken to agree.
const agreement = 0.1

// maxDrift is the largest drift in parts per million that is taken for one of
// clocks unless the user asks: crystals stay below 200.
const maxDrift = 500

// Clock estimates how far apart the clocks are.
func (p *Pair) Clock(m Mode) Clock {
	c := Clock{Start: p.clock.origin, rough: p.opt.Rough, Bound: -1}
	if m == None {
		c.Method = "none: the stamps are trusted"
		return c
	}
	fits := p.clock.fits()
	c.step(p.clock.order)
	rho, sigma, span := drift(fits)
	significant := math.Abs(rho)*span > 2*agreement && math.Abs(rho) > 5*sigma && math.Abs(rho)*1e3 < maxDrift
	switch {
	case m == Offset || c.StepMS != 0:
		rho = 0
	case m == Auto && !significant:
		rho = 0
	}
	c.DriftPPM = rho * 1e3 // ms per s are 1000 ppm
	if !c.offset(p.clock.order, rho) {
		c.Method = "none: no packet was matched in both directions"
		c.DriftPPM = 0
		return c
	}
	if m == Auto && rho == 0 && c.StepMS == 0 && math.Abs(c.OffsetMS) < max(agreement, c.Uncertainty) {
		c.OffsetMS = 0
		c.Method = "auto: the clocks agree as far as the least delays of both directions show"
		return c
	}
	c.Method = "least delays of packets without payload in both directions"
	if rho != 0 {
		c.Method += ", lower hulls with one slope"
	}
	return c
}

// offset compares the least delays of both directions, path by path. The path
// with the shortest round trip decides; the others tell the uncertainty.
func (c *Clock) offset(paths []*pathClock, rho float64) bool {
	type estimate struct{ theta, half, noise float64 }
	var all []estimate
	for _, p := range paths {
		f, okF := p.floor(AtSender, rho, c)
		r, okR := p.floor(AtReceiver, -rho, c)
		if okF && okR {
			noise := min(p.minis[AtSender].noise(f), p.minis[AtReceiver].noise(r))
			all = append(all, estimate{(f - r) / 2, (f + r) / 2, noise})
		}
	}
	if len(all) == 0 {
		return false
	}
	best := slices.MinFunc(all, func(a, b estimate) int { return int(math.Copysign(1, a.half-b.half)) })
	c.OffsetMS, c.Bound = best.theta, best.half
	c.Uncertainty = max(0.01, best.half/100, best.noise/2) // sizes of packets, queues, interrupts
	for _, e := range all {
		c.Uncertainty = max(c.Uncertainty, math.Abs(e.theta-best.theta))
	}
	c.Uncertainty = min(c.Uncertainty, max(c.Bound, 0.01))
	return true
}

// floor returns the least delay of one direction of a path without drift and
// step: of packets without payload, or of others less what their size costs.
func (p *pathClock) floor(out End, rho float64, c *Clock) (float64, bool) {
	best := p.minis[out].floor(rho, c)
	if extra, ok := p.gaps[out].extra(); ok {
		best = min(best, p.datas[out].floor(rho, c)-extra)
	}
	if math.IsInf(best, 1) {
		best = p.datas[out].floor(rho, c)
	}
	return best, !math.IsInf(best, 1)
}

// floor returns the least delay, infinite if there is none.
func (s *series) floor(rho float64, c *Clock) float64 {
	best := math.Inf(1)
	for _, q := range s.points() {
		if c.StepMS == 0 || q.t < c.StepS {
			best = min(best, q.d-rho*q.t)
		}
	}
	return best
}

// noise returns how far the least delays lie above the least of all, in the
// median: a path whose shortest time varies leaves the offset uncertain.
func (s *series) noise(floor float64) float64 {
	pts := s.points()
	if len(pts) == 0 {
		return 0
	}
	v := make([]float64, len(pts))
	for i, q := range pts {
		v[i] = max(0, q.d-floor)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// fit is the line below one series.
type fit struct {
	sign   float64 // +1 where the receiver's lead is in the delay, -1 where it is out of it
	slope  float64 // ms/s
	base   float64 // its height at the first point, ms
	above  float64 // median distance of the points from it, ms
	span   float64 // s
	mean   float64 // mean time of the points, s
	points []point
}

// fits returns the lines below all series that are long enough.
func (c *clock) fits() (out []fit) {
	for _, p := range c.order {
		for e := range p.minis {
			for _, s := range []*series{&p.minis[e], &p.datas[e]} {
				pts := s.points()
				if len(pts) < 8 {
					continue
				}
				f := fit{sign: 1, points: pts, span: pts[len(pts)-1].t - pts[0].t}
				if End(e) == AtReceiver {
					f.sign = -1
				}
				f.line()
				out = append(out, f)
			}
		}
	}
	return out
}

// line finds the line below all points whose mean distance from them is least
// (Moon, Skelly and Towsley, 1999): the edge of the lower hull below their mean
// time.
func (f *fit) line() {
	for _, p := range f.points {
		f.mean += p.t / float64(len(f.points))
	}
	hull := lowerHull(f.points)
	edge := [2]point{hull[0], hull[len(hull)-1]}
	for i := 1; i < len(hull); i++ {
		if hull[i].t >= f.mean {
			edge = [2]point{hull[i-1], hull[i]}
			break
		}
	}
	if edge[1].t > edge[0].t {
		f.slope = (edge[1].d - edge[0].d) / (edge[1].t - edge[0].t)
	}
	rest := make([]float64, len(f.points))
	for i, p := range f.points {
		rest[i] = p.d - edge[0].d - f.slope*(p.t-edge[0].t)
	}
	f.base = edge[0].d - f.slope*(edge[0].t-f.points[0].t)
	slices.Sort(rest)
	f.above = rest[len(rest)/2]
}

// lowerHull returns the lower convex hull of points in the order of time.
func lowerHull(pts []point) (h []point) {
	for _, p := range pts {
		for len(h) >= 2 {
			a, b := h[len(h)-2], h[len(h)-1]
			if (b.d-a.d)*(p.t-a.t) < (p.d-a.d)*(b.t-a.t) {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	return h
}

// floorNoise is what the stamps themselves are worth, ms.
const floorNoise = 0.002

// drift finds the slope that all series have in common, those of one direction
// with the opposite sign: the mean of their slopes, each in the measure of its
// own certainty. It returns ms/s, their uncertainty, and the longest span in s.
func drift(fits []fit) (rho, sigma, span float64) {
	weight := 0.0
	for i := range fits {
		f := &fits[i]
		slope, s := f.slopes()
		rho += f.sign * slope / (s * s)
		weight += 1 / (s * s)
		span = max(span, f.span)
	}
	if weight == 0 {
		return 0, math.Inf(1), 0
	}
	rho /= weight
	// Series that differ by more than they claim to be certain are less certain
	// by that factor (Birge, 1932).
	spread := 0.0
	for i := range fits {
		slope, s := fits[i].slopes()
		spread += (fits[i].sign*slope - rho) * (fits[i].sign*slope - rho) / (s * s)
	}
	sigma = math.Sqrt(max(1, spread/float64(max(1, len(fits)-1))) / weight)
	// Where the surest series of the two directions contradict each other, it
	// is not the clock that moves.
	for _, sign := range []float64{1, -1} {
		best, at := math.Inf(1), 0.0
		for i := range fits {
			if slope, s := fits[i].slopes(); fits[i].sign == sign && s < best {
				best, at = s, slope*sign
			}
		}
		if far := math.Abs(at - rho); !math.IsInf(best, 1) && far > 5*best {
			sigma = max(sigma, far)
		}
	}
	return rho, sigma, span
}

// slopes returns the median of the slopes between the points close to the line
// below all of them (Theil, 1950; Sen, 1968), and its standard error. Points
// far above the line are queues.
func (f *fit) slopes() (slope, sigma float64) {
	var near []point
	limit := 2*f.above + floorNoise
	for _, p := range f.points {
		if p.d-f.base-f.slope*(p.t-f.points[0].t) <= limit {
			near = append(near, p)
		}
	}
	var all []float64
	for i := range near {
		for _, q := range near[i+1:] {
			all = append(all, (q.d-near[i].d)/(q.t-near[i].t))
		}
	}
	if len(near) < 8 {
		return f.slope, (f.above + 10*floorNoise) / f.span
	}
	slices.Sort(all)
	slope = all[len(all)/2]
	rest := make([]float64, len(near))
	for i, p := range near {
		rest[i] = p.d - slope*(p.t-near[0].t)
	}
	sorted := slices.Clone(rest)
	slices.Sort(sorted)
	mid := sorted[len(sorted)/2]
	// The error of a slope fitted to n points of scatter s over a span T is
	// about s sqrt(12/n) / T; neighbours that resemble each other count less.
	var same, square, scatter float64
	for i := range rest {
		rest[i] -= mid
		scatter += math.Abs(rest[i])
		square += rest[i] * rest[i]
		if i > 0 {
			same += rest[i] * rest[i-1]
		}
	}
	n := float64(len(near))
	r := 0.0
	if square > 0 {
		r = min(max(same/square, 0), 0.98)
	}
	n = max(2, n*(1-r)/(1+r))
	return slope, (1.25*scatter/float64(len(near)) + floorNoise) * math.Sqrt(12/n) / f.span
}

// lead returns by how many ms the receiver's clock is ahead at time t, ns by
// the sender's clock.
func (c *Clock) lead(t int64) float64 {
	at := float64(t-c.Start) / 1e9
	lead := c.OffsetMS + c.DriftPPM/1e3*at
	if c.StepMS != 0 && at >= c.StepS {
		lead += c.StepMS
	}
	return lead
}

// Correct returns the distribution of delays without what the clocks add. A
// constant offset is left to the caller: shift is what is to be added to every
// value.
func (c *Clock) Correct(d *Delays) (out *stats.Dist, shift float64) {
	sign := -1.0
	if !d.ahead {
		sign = 1
	}
	if c.DriftPPM == 0 && c.StepMS == 0 {
		return &d.Raw, sign * c.OffsetMS
	}
	out = new(stats.Dist)
	for _, s := range d.samples {
		t := s.time
		if d.ahead {
			t -= c.rough
		}
		out.AddRepeated(ms(s.delay)+sign*c.lead(t), int64(s.weight))
	}
	return out, 0
}

// Warning returns what to tell the user about the clocks, empty if nothing.
func (c *Clock) Warning() string {
	if c.StepMS == 0 {
		return ""
	}
	return fmt.Sprintf("a clock was set while the captures ran: %.3f s after the first packet the receiver's lead changed by %.3f ms", c.StepS, c.StepMS)
}
