package pair

import (
	"fmt"
	"math"

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
	doubt := c.steps(&p.clock)
	c.DriftPPM = digits(1e3 * c.drift(&p.clock, m, doubt)) // ms per s are 1000 ppm
	c.DriftUncertainty = digits(c.DriftUncertainty)
	rho := c.DriftPPM / 1e3
	g, ok := c.offset(p.clock.order, rho)
	if !ok {
		c.without("no packet was matched in both directions")
		c.DriftPPM, c.DriftUncertainty, c.StepMS, c.step = 0, -1, 0, stepped{}
		return c
	}
	c.Method = g.basis()
	if m == Auto && c.allowsZero(p.clock.order, rho) {
		c.stay(g)
	}
	if rho != 0 {
		c.Method += "; drift: " + c.drifted
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
		v, weight := c.plain(from, s.time, s.delay)+sign*lead, int64(s.weight)
		if d.byBytes {
			out.AddWeighted(v, float64(weight))
		} else {
			out.AddRepeated(v, weight)
		}
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
