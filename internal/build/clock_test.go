package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
		if err := reporttest.Check(&doc); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, r := range doc.Clock.Unavailable {
			got = append(got, r.Metric)
			if c.in.Nothing != "" && r.Why != c.in.Nothing {
				t.Errorf("%s: %s is null because %q, want %q", c.name, r.Metric, r.Why, c.in.Nothing)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNewClock: each figure has its field; 0 is a figure.
func TestNewClock(t *testing.T) {
	got := NewClock(&clock.Estimate{OffsetMS: 1, DriftPPM: 2, DriftUncertainty: 3, Uncertainty: 4, Bound: 5, StepMS: -6, StepS: 7, Method: "by delays"})
	want := &report.Clock{Offset: new(1.0), Drift: 2, DriftUncertainty: new(3.0), Uncertainty: new(4.0), Bound: new(5.0), Step: new(-6.0), StepS: new(7.0), Method: "by delays"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if zero := NewClock(&clock.Estimate{}); zero.Bound == nil || zero.DriftUncertainty == nil || zero.Step != nil {
		t.Errorf("%+v", zero)
	}
}
