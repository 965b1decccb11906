package clock

import (
	"fmt"
	"math"
)

// Mode says what to do about clocks that disagree.
type Mode uint8

// The modes.
const (
	Auto   Mode = iota // correct what the delays prove
	None               // trust the capture times
	Offset             // estimate an offset
	Drift              // estimate offset and drift
)

// Estimate is how the receiver's clock stands to the sender's.
type Estimate struct {
	OffsetMS float64 // ahead of the sender's clock, at the first packet
	DriftPPM float64 // gain on the sender's clock
	// DriftUncertainty is the error of that in ppm which the delays leave room
	// for, at 95 %. Negative where they tell nothing.
	DriftUncertainty float64
	Uncertainty      float64 // of the offset, ms, if both directions of a path take the same time at best
	// Bound is the error that an asymmetric path could cause, ms: half of the
	// least round trip. Negative where nothing was measured.
	Bound  float64
	Method string
	// Nothing is why nothing was estimated; empty where something was.
	Nothing string
	// A step of one clock against the other.
	StepMS float64 // by how much the receiver's lead grew; 0 = none noticed
	StepS  float64 // when, in seconds since Start

	Start int64 // ns, by the sender's clock
	step  step
}

// agreement is the offset in ms below which two clocks are taken to agree.
const agreement = 0.1

// maxDrift is the largest drift in parts per million that is taken for one of
// clocks unless the user asks: crystals stay below 200.
const maxDrift = 500

// Estimate estimates how far apart the clocks are.
func (e *Estimator) Estimate(m Mode) Estimate {
	if m == None {
		return e.nothing("the stamps are trusted")
	}
	st, stepError := e.findStep()
	drift := e.drift(m, &st, stepError)
	drift.ppm = rounded(drift.ppm)
	c := Estimate{
		Start: e.origin, step: st, StepMS: st.size, StepS: st.sinceOrigin,
		DriftPPM: drift.ppm, DriftUncertainty: rounded(drift.uncertainty),
	}
	gain := drift.ppm / 1e3
	best, ok := e.offset(&c, gain)
	if !ok {
		return e.nothing("no packet was matched in both directions")
	}
	c.Method = best.basis()
	if m == Auto && e.allowsZero(gain, &st) {
		c.keepZero(&best)
	}
	if gain != 0 {
		c.Method += "; drift: " + drift.basis
	}
	return c
}

// nothing is the estimate where there is none, and why.
func (e *Estimator) nothing(why string) Estimate {
	return Estimate{Start: e.origin, Bound: -1, DriftUncertainty: -1, Nothing: why, Method: "none: " + why}
}

// rounded cuts off the digits that depend on the order of sums.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Begin moves the start from the first matched packet back to time at, ns, when
// the sender's capture began.
func (c *Estimate) Begin(at int64) {
	if at > c.Start || c.Start == 0 {
		return
	}
	earlier := float64(c.Start-at) / 1e9
	c.Start = at
	c.OffsetMS -= c.DriftPPM / 1e3 * earlier
	if c.step.found {
		c.StepS += earlier
	}
}

// Warning returns what to tell the user about the clocks, empty if nothing.
func (c *Estimate) Warning() string {
	if c.StepMS == 0 {
		return ""
	}
	return fmt.Sprintf("a clock was set while the captures ran: %.3f s after the first packet the receiver's lead changed by %.3f ms", c.StepS, c.StepMS)
}
