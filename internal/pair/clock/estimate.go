package clock

import (
	"fmt"
	"math"
)

// Mode says how to treat clocks that disagree.
type Mode uint8

// The modes.
const (
	Auto   Mode = iota // correct the differences that the delays prove
	None               // trust the capture times
	Offset             // estimate an offset
	Drift              // estimate offset and drift
)

// Estimate tells how the receiver's clock differs from the sender's.
type Estimate struct {
	OffsetMS float64 // ahead of the sender's clock, at the first packet
	DriftPPM float64 // gain on the sender's clock
	// DriftUncertainty is the error of DriftPPM that the delays allow, ppm, at
	// 95 %. It is negative if the delays show nothing.
	DriftUncertainty float64
	Uncertainty      float64 // of the offset, ms, if both directions of a path take the same time at best
	// Bound is the error that an asymmetric path could cause, ms: half of the
	// least round trip. It is negative if nothing was measured.
	Bound  float64
	Method string
	// Nothing tells why nothing was estimated; it is empty if something was.
	Nothing string
	// Unknown says that no offset is known, and that the captures' times alone
	// cannot be right either: times of one capture cannot be compared with times
	// of the other.
	Unknown bool
	// A step of one clock against the other.
	StepMS float64 // by how much the receiver's lead grew; 0 = no step found
	StepS  float64 // when, in seconds since Start

	Start int64 // ns, by the sender's clock
	step  step
}

// agreement is the offset in ms below which two clocks are taken to agree.
const agreement = 0.1

// maxDrift is the largest drift, in parts per million, that is accepted unless
// the user asks for a drift: two clocks with crystals differ by less than 200.
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
	possible := e.possible(gain, &st)
	if !ok {
		c = e.nothing("no packet was matched in both directions")
		c.Unknown = !possible.allows(0)
		return c
	}
	if possible.low-possible.high > 2*agreement {
		return e.Incomparable("the least delays of both directions add up to less than nothing")
	}
	c.Method = best.basis()
	if m == Auto && possible.allows(0) {
		c.keepZero(&best)
	} else {
		c.keepWithin(possible)
	}
	if gain != 0 {
		c.Method += "; drift: " + drift.basis
	}
	return c
}

// nothing returns an estimate without values, and the reason.
func (e *Estimator) nothing(why string) Estimate {
	return Estimate{Start: e.origin, Bound: -1, DriftUncertainty: -1, Nothing: why, Method: "none: " + why}
}

// Incomparable returns an estimate that says that times of one capture cannot be
// compared with times of the other, and why.
func (e *Estimator) Incomparable(why string) Estimate {
	c := e.nothing(why)
	c.Unknown = true
	return c
}

// rounded removes the digits that depend on the order of sums.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Begin moves the start from the first matched packet back to time at, ns, the
// beginning of the sender's capture.
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

// Warning returns a warning about the clocks for the user, or "".
func (c *Estimate) Warning() string {
	if c.StepMS == 0 {
		return ""
	}
	return fmt.Sprintf("a clock was set while the captures ran: %.3f s after the first packet the receiver's lead changed by %.3f ms", c.StepS, c.StepMS)
}
