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
	OffsetMS float64 // ahead of the sender's clock, at the first packet
	DriftPPM float64 // gain on the sender's clock
	// DriftUncertainty is the error of that in ppm which the delays leave room
	// for, at 95 %. Negative where they tell nothing.
	DriftUncertainty float64
	Uncertainty      float64 // of the offset, ms, if both ways of a path take the same time at best
	// Bound is the error that an asymmetric path could cause, ms: half of the
	// least round trip. Negative where nothing was measured.
	Bound  float64
	Method string
	// Nothing is why nothing was estimated; empty where something was.
	Nothing string
	// A step of one clock against the other.
	StepMS float64 // by how much the receiver's lead grew; 0 = none noticed
	StepS  float64 // when, in seconds since Start

	Start   int64 // ns, by the sender's clock
	origin  int64 // time 0 of the series of delays
	rough   int64
	step    stepped
	drifted string // what the drift was found by
}

// agreement is the offset in ms below which two clocks are taken to agree.
const agreement = 0.1

// maxDrift is the largest drift in parts per million that is taken for one of
// clocks unless the user asks: crystals stay below 200.
const maxDrift = 500

// Clock estimates how far apart the clocks are.
func (p *Pair) Clock(m Mode) Clock {
	c := Clock{Start: p.clock.origin, origin: p.clock.origin, rough: p.opt.Rough, Bound: -1, DriftUncertainty: -1}
	if m == None {
		c.without("the stamps are trusted")
		return c
	}
	if !c.jumped(&p.clock) {
		c.findStep(p.clock.order)
	}
	doubt := 0.0
	if c.step.there {
		doubt = c.height(&p.clock)
	}
	c.DriftPPM = digits(1e3 * c.drift(&p.clock, m, doubt)) // ms per s are 1000 ppm
	c.DriftUncertainty = digits(c.DriftUncertainty)
	rho := c.DriftPPM / 1e3
	if !c.offset(p.clock.order, rho) {
		c.without("no packet was matched in both directions")
		c.DriftPPM, c.DriftUncertainty, c.StepMS, c.step = 0, -1, 0, stepped{}
		return c
	}
	if m == Auto && rho == 0 && c.StepMS == 0 && math.Abs(c.OffsetMS) < max(agreement, c.Uncertainty) {
		c.OffsetMS = 0
		c.Method = "auto: the clocks agree as far as the least delays of both directions show"
		return c
	}
	if m == Auto && math.Abs(c.OffsetMS) < c.Uncertainty { // not proven
		c.OffsetMS = 0
	}
	c.Method = "least delays of packets without payload in both directions"
	if rho != 0 {
		c.Method += ", " + c.drifted
	}
	return c
}

// without says why nothing is estimated.
func (c *Clock) without(why string) { c.Nothing, c.Method = why, "none: "+why }

// digits cuts off what the order of sums decides.
func digits(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Begin moves the start from the first matched packet back to time at, ns, when
// the sender's capture began.
func (c *Clock) Begin(at int64) {
	if at > c.Start || c.Start == 0 {
		return
	}
	earlier := float64(c.Start-at) / 1e9
	c.Start = at
	c.OffsetMS -= c.DriftPPM / 1e3 * earlier
	if c.step.there {
		c.StepS += earlier
	}
}

// offset compares the least delays of both directions, path by path. The path
// with the shortest round trip decides; the others tell the uncertainty.
func (c *Clock) offset(paths []*pathClock, rho float64) bool {
	type estimate struct{ theta, half, noise float64 }
	var all []estimate
	for _, p := range paths {
		if f, r, ok := p.floors(rho, c); ok {
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

// floors returns the least delays of a path's two directions without drift and
// step. What a packet's size costs is not to be taken from those with payload
// where that would leave a negative round trip: a token bucket spaces packets,
// and lets the first of a burst pass at once.
func (p *pathClock) floors(rho float64, c *Clock) (f, r float64, ok bool) {
	f, r = p.floor(AtSender, rho, c, true), p.floor(AtReceiver, -rho, c, true)
	if f+r < 0 {
		f, r = p.floor(AtSender, rho, c, false), p.floor(AtReceiver, -rho, c, false)
	}
	return f, r, !math.IsInf(f+r, 1)
}

// floor returns that of one direction: of packets without payload, or, where
// they are to be compared, of others less what their size costs. Infinite if
// there is none.
func (p *pathClock) floor(out End, rho float64, c *Clock, compare bool) float64 {
	best := p.minis[out].floor(out, rho, c)
	if extra, ok := p.gaps[out].extra(); ok && compare {
		best = min(best, p.datas[out].floor(out, rho, c)-extra)
	}
	if math.IsInf(best, 1) {
		best = p.datas[out].floor(out, rho, c)
	}
	return best
}

// floor returns the least delay, infinite if there is none.
func (s *series) floor(out End, rho float64, c *Clock) float64 {
	best := math.Inf(1)
	for _, b := range s.bins {
		if at := c.arrival(out, b.t); b.ok && !c.unclear(out, at, b.d) {
			best = min(best, c.plain(out, at, b.d)-rho*float64(b.t)/1e9)
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

// Correct returns the distribution of delays, ms, without what the clocks add. A
// constant is left to the caller: shift is what is to be added to every value.
func (c *Clock) Correct(d *Delays) (out *stats.Dist, shift float64) {
	sign := -1.0
	if !d.ahead {
		sign = 1
	}
	if c.DriftPPM == 0 && c.StepMS == 0 {
		return &d.Raw, ms(d.base) + sign*c.OffsetMS
	}
	out = new(stats.Dist)
	for _, s := range d.samples {
		from := AtReceiver
		t := s.time
		if d.ahead {
			from = AtSender
			t -= c.rough
		}
		if c.twice() && c.unclear(from, s.time, s.delay) {
			continue
		}
		lead := c.OffsetMS + c.DriftPPM/1e3*float64(t-c.Start)/1e9
		out.AddRepeated(c.plain(from, s.time, s.delay)+sign*lead, int64(s.weight))
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
