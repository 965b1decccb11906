package build

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// dependOnTimes are the figures that need times and whose name does not end in a unit of time or rate:
// rounds, cells, spells, queues that weigh by time, and what was active when.
var dependOnTimes = []string{
	"aggregation_benefit", "cwnd_decisions", "cwnd_estimate_bytes", "cwnd_estimate_mss", "handovers", "hol_queue_bytes", "hol_queue_segments",
	"rb2loc", "rec_path_list", "retransmission_kinds", "scheduler_regret", "streaming", "time_account",
}

// filled returns a direction in which every figure has a value.
func filled[T report.Figures](d T) T {
	for f, v := range reflect.ValueOf(d).Elem().Fields() {
		if f.Type.Kind() == reflect.Pointer {
			v.Set(reflect.New(f.Type.Elem()))
		}
	}
	return d
}

func timedSubDir() *report.SubDir {
	d := filled(&report.SubDir{})
	d.Drops.PerS, d.Bursts.DurationMS = new(1.5), new(report.Stat)
	return d
}

func timedConnDir() *report.ConnDir {
	d := filled(&report.ConnDir{})
	d.OutOfOrder.ExtentMS, d.ReinjectionWorth.Lead = new(report.Stat), new(report.Stat)
	return d
}

// needTimes compares the figures that are null, and their reasons, with those that need times; parts are the
// parts of other figures that do.
func needTimes(t *testing.T, d report.Figures, w report.Reasons, why string, parts ...string) {
	t.Helper()
	want, null := map[string]string{}, map[string]string{}
	for _, part := range parts {
		want[part] = why
	}
	for f, v := range reflect.ValueOf(d).Elem().Fields() {
		name := report.JSONName(f)
		if f.Type.Kind() == reflect.Pointer && (strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "_mbps") || slices.Contains(dependOnTimes, name)) {
			want[name] = why
		}
		if f.Type.Kind() == reflect.Pointer && v.IsNil() {
			null[name] = "" // until its reason is seen
		}
	}
	for _, r := range w {
		null[r.Metric] = r.Why
	}
	assert.Check(t, is.DeepEqual(null, want), "%T", d)
}

// TestWithoutTimes: where times cannot be compared, every figure that needs them is null with the reason,
// in both directions of the connection and of every subflow, and no other figure is.
func TestWithoutTimes(t *testing.T) {
	const why = "the clock stepped"
	sub := func() report.Subflow {
		return report.Subflow{HandshakeRTT: new(1.0), JoinDelay: new(2.0), A2B: timedSubDir(), B2A: timedSubDir()}
	}
	c := &report.Connection{A2B: timedConnDir(), B2A: timedConnDir(), Subflows: []report.Subflow{sub(), sub()}}
	plain := &report.TCP{HandshakeRTT: new(1.0), A2B: timedSubDir(), B2A: timedSubDir()}
	shared := c.Subflows[0].A2B.Drops
	connWithoutTimes(c, "")
	tcpWithoutTimes(plain, "")
	assert.Check(t, c.A2B.HoLDegree != nil && c.Subflows[0].JoinDelay != nil && plain.HandshakeRTT != nil && plain.A2B.RTT != nil, "with sound clocks something is null")
	connWithoutTimes(c, why)
	tcpWithoutTimes(plain, why)
	for _, d := range c.Dirs() {
		needTimes(t, d, d.Unavailable, why, "out_of_order.extent_ms", "reinjection_worth.lead_ms")
		assert.Check(t, d.OutOfOrder.ExtentMS == nil && d.ReinjectionWorth.Lead == nil, "parts: %+v, %+v", d.OutOfOrder, d.ReinjectionWorth)
	}
	for _, d := range []*report.SubDir{c.Subflows[0].A2B, c.Subflows[1].A2B, c.Subflows[0].B2A, c.Subflows[1].B2A, plain.A2B, plain.B2A} {
		needTimes(t, d, d.Unavailable, why, "drops.per_s", "bursts.duration_ms")
		assert.Check(t, d.Drops.PerS == nil && d.Bursts.DurationMS == nil, "parts: %+v, %+v", d.Drops, d.Bursts)
	}
	want := report.Reasons{{Metric: "handshake_rtt_ms", Why: why}, {Metric: "join_delay_ms", Why: why}}
	for _, s := range c.Subflows {
		diff := cmp.Diff(want, s.Unavailable)
		assert.Check(t, diff == "" && s.HandshakeRTT == nil && s.JoinDelay == nil, "subflow: %v and %v; reasons (-want +got):\n%s", s.HandshakeRTT, s.JoinDelay, diff)
	}
	diff := cmp.Diff(want[:1], plain.Unavailable)
	assert.Check(t, diff == "" && plain.HandshakeRTT == nil && shared.PerS != nil, "plain TCP: %v; shared %v; reasons (-want +got):\n%s", plain.HandshakeRTT, shared.PerS, diff)
	absent := &report.Connection{Subflows: []report.Subflow{{Unavailable: report.Reasons{{Metric: "join_delay_ms", Why: "no SYN"}}}}}
	connWithoutTimes(absent, why) // a direction that was not captured
	before, _ := absent.Subflows[0].Unavailable.Of("join_delay_ms")
	assert.Check(t, is.Equal(before, "no SYN"), "the reason of what was null before")
}

// TestWorthWithoutTimes: which copy of reinjected data came first is an estimate from
// times where one capture tells it; where two do, the order of arrivals remains.
func TestWorthWithoutTimes(t *testing.T) {
	for _, c := range []struct {
		evidence    report.Evidence
		worth, lead string // why they are null
	}{
		{report.Inferred, "stepped", ""},
		{report.Matched, "", "stepped"},
	} {
		d := report.ConnDir{ReinjectionWorth: &report.ReinjectionWorth{FirstBytes: 7, Evidence: c.evidence}}
		if c.evidence == report.Matched {
			d.ReinjectionWorth.Lead = &report.Stat{Avg: 5}
		} else {
			d.Unavailable.Set("reinjection_worth.lead_ms", metrics.TwoCaptures)
		}
		connDirWithoutTimes(&d, "stepped")
		worth, _ := d.Unavailable.Of("reinjection_worth")
		lead, _ := d.Unavailable.Of("reinjection_worth.lead_ms")
		assert.Check(t, worth == c.worth && lead == c.lead && (d.ReinjectionWorth == nil) == (c.worth != ""),
			"%s: %+v, null because %q and %q; want %q and %q", c.evidence, d.ReinjectionWorth, worth, lead, c.worth, c.lead)
	}
}

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
