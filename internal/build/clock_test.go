package build

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// TestReasonsOfClocks: what is not estimated of the clocks is null with its
// reason; that no clock was set is no lack of evidence.
func TestReasonsOfClocks(t *testing.T) {
	for _, c := range []struct {
		name string
		in   clock.Estimate
		want []string
	}{
		{"all", clock.Estimate{StepMS: 5, StepS: 1}, nil},
		{"no step", clock.Estimate{}, nil},
		{"no drift", clock.Estimate{DriftUncertainty: -1}, []string{"drift_uncertainty_ppm"}},
		{"no bound", clock.Estimate{Bound: -1}, []string{"bound_ms"}},
		{"nothing", clock.Estimate{Bound: -1, DriftUncertainty: -1, Nothing: "why"}, []string{"bound_ms", "drift_uncertainty_ppm", "step_ms", "step_s", "uncertainty_ms"}},
		{"no common time", clock.Estimate{Bound: -1, DriftUncertainty: -1, Nothing: "why", Unknown: true}, []string{"bound_ms", "drift_uncertainty_ppm", "offset_ms", "step_ms", "step_s", "uncertainty_ms"}},
	} {
		doc := report.Document{Schema: report.SchemaName, Clock: NewClock(&c.in)}
		assert.Check(t, reporttest.Check(&doc), "%s", c.name)
		var got []string
		for _, r := range doc.Clock.Unavailable {
			got = append(got, r.Metric)
			assert.Check(t, c.in.Nothing == "" || r.Why == c.in.Nothing, "%s: %s is null because %q, want %q", c.name, r.Metric, r.Why, c.in.Nothing)
		}
		assert.Check(t, is.DeepEqual(got, c.want), "%s", c.name)
	}
}

// TestNewClock: each figure has its field; 0 is a figure.
func TestNewClock(t *testing.T) {
	got := NewClock(&clock.Estimate{OffsetMS: 1, DriftPPM: 2, DriftUncertainty: 3, Uncertainty: 4, Bound: 5, StepMS: -6, StepS: 7, Method: "by delays"})
	want := &report.Clock{Offset: new(1.0), Drift: 2, DriftUncertainty: new(3.0), Uncertainty: new(4.0), Bound: new(5.0), Step: new(-6.0), StepS: new(7.0), Method: "by delays"}
	assert.Check(t, is.DeepEqual(got, want))
	zero := NewClock(&clock.Estimate{})
	assert.Check(t, zero.Bound != nil && zero.DriftUncertainty != nil && zero.Step == nil, "%+v", zero)
}
