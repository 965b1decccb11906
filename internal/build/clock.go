package build

import (
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// NewClock reports the clocks.
func NewClock(c *clock.Estimate) *report.Clock {
	out := &report.Clock{Drift: c.DriftPPM, Method: c.Method}
	if c.Unknown {
		out.Unavailable.Set("offset_ms", c.Nothing)
	} else {
		out.Offset = new(c.OffsetMS)
	}
	if c.Nothing != "" {
		for _, name := range []string{"drift_uncertainty_ppm", "uncertainty_ms", "bound_ms", "step_ms", "step_s"} {
			out.Unavailable.Set(name, c.Nothing)
		}
		return out
	}
	out.Uncertainty = new(c.Uncertainty)
	if c.Bound >= 0 {
		out.Bound = new(c.Bound)
	} else {
		out.Unavailable.Set("bound_ms", "the least delays of both directions add up to less than nothing")
	}
	if c.DriftUncertainty >= 0 {
		out.DriftUncertainty = new(c.DriftUncertainty)
	} else {
		out.Unavailable.Set("drift_uncertainty_ppm", "the delays and stamps are too few to tell")
	}
	if c.StepMS != 0 {
		out.Step, out.StepS = new(c.StepMS), new(c.StepS)
	}
	return out
}
