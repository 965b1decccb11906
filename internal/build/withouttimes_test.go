package build

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// dependOnTimes are the figures that need times and whose name does not end in a unit of time or rate:
// rounds, cells, spells, queues that weigh by time, and what was active when.
var dependOnTimes = []string{
	"aggregation_benefit", "cwnd_decisions", "cwnd_estimate_bytes", "cwnd_estimate_mss", "handovers", "hol_queue_bytes", "hol_queue_segments",
	"rb2loc", "rec_path_list", "retransmission_kinds", "scheduler_regret", "streaming", "time_account",
}

// timeParts are the parts of other figures that are null then.
var timeParts = []string{"drops.per_s", "bursts.duration_ms", "out_of_order.extent_ms", "reinjection_worth.lead_ms"}

// filled sets every pointer of a direction, with a reason for one part.
func filled[T any](d *T) *T {
	for f, v := range reflect.ValueOf(d).Elem().Fields() {
		if f.Type.Kind() == reflect.Pointer {
			v.Set(reflect.New(f.Type.Elem()))
		}
	}
	return d
}

// isNull returns the names of the figures and parts that are null, with their reasons.
func isNull(d report.Figures, w report.Reasons) (out []string) {
	v := reflect.ValueOf(d).Elem()
	for f, x := range v.Fields() {
		name := report.JSONName(f)
		if f.Type.Kind() == reflect.Pointer && x.IsNil() {
			why, _ := w.Of(name)
			out = append(out, name+" "+why)
		}
		for _, part := range timeParts {
			if in, last, _ := strings.Cut(part, "."); in == name && !x.IsNil() {
				for pf, p := range x.Elem().Fields() {
					if report.JSONName(pf) == last && p.IsNil() {
						why, _ := w.Of(part)
						out = append(out, part+" "+why)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// wantNull does so for the figures that need times.
func wantNull(d report.Figures, why string) (out []string) {
	for f := range reflect.ValueOf(d).Elem().Fields() {
		name := report.JSONName(f)
		if f.Type.Kind() == reflect.Pointer && (strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "_mbps") || slices.Contains(dependOnTimes, name)) {
			out = append(out, name+" "+why)
		}
		for _, part := range timeParts {
			if in, _, _ := strings.Cut(part, "."); in == name {
				out = append(out, part+" "+why)
			}
		}
	}
	slices.Sort(out)
	return out
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

// TestWithoutTimes: where times cannot be compared, every figure that needs them is null with the reason,
// in both directions of the connection and of every subflow, and no other figure is.
func TestWithoutTimes(t *testing.T) {
	const why = "the clock stepped"
	sub := func() report.Subflow {
		return report.Subflow{HandshakeRTT: new(1.0), JoinDelay: new(2.0), A2B: timedSubDir(), B2A: timedSubDir()}
	}
	c := &report.Connection{A2B: timedConnDir(), B2A: timedConnDir(), Subflows: []report.Subflow{sub(), sub()}}
	shared := c.Subflows[0].A2B.Drops
	connWithoutTimes(c, "")
	if diff := cmp.Diff([]string(nil), isNull(c.A2B, nil)); diff != "" || c.Subflows[0].JoinDelay == nil {
		t.Errorf("with sound clocks: %s", diff)
	}
	connWithoutTimes(c, why)
	plain := &report.TCP{HandshakeRTT: new(1.0), A2B: timedSubDir(), B2A: timedSubDir()}
	tcpWithoutTimes(plain, "")
	if plain.HandshakeRTT == nil || plain.A2B.RTT == nil {
		t.Error("plain TCP with sound clocks has no round trip")
	}
	tcpWithoutTimes(plain, why)
	for _, d := range c.Dirs() {
		if diff := cmp.Diff(wantNull(d, why), isNull(d, d.Unavailable)); diff != "" {
			t.Errorf("connection (-want +got):\n%s", diff)
		}
	}
	for _, d := range []*report.SubDir{c.Subflows[0].A2B, c.Subflows[1].A2B, c.Subflows[0].B2A, c.Subflows[1].B2A, plain.A2B, plain.B2A} {
		if diff := cmp.Diff(wantNull(d, why), isNull(d, d.Unavailable)); diff != "" {
			t.Errorf("subflow (-want +got):\n%s", diff)
		}
	}
	want := report.Reasons{{Metric: "handshake_rtt_ms", Why: why}, {Metric: "join_delay_ms", Why: why}}
	for _, s := range c.Subflows {
		if diff := cmp.Diff(want, s.Unavailable); diff != "" || s.HandshakeRTT != nil || s.JoinDelay != nil {
			t.Errorf("subflow: %v and %v; reasons (-want +got):\n%s", s.HandshakeRTT, s.JoinDelay, diff)
		}
	}
	if diff := cmp.Diff(want[:1], plain.Unavailable); diff != "" || plain.HandshakeRTT != nil {
		t.Errorf("plain TCP: %v; reasons (-want +got):\n%s", plain.HandshakeRTT, diff)
	}
	if shared.PerS == nil {
		t.Error("a value changed that reports may share")
	}
	absent := &report.Connection{Subflows: []report.Subflow{{Unavailable: report.Reasons{{Metric: "join_delay_ms", Why: "no SYN"}}}}}
	connWithoutTimes(absent, why) // a direction that was not captured
	if diff := cmp.Diff(report.Reasons{{Metric: "join_delay_ms", Why: "no SYN"}}, absent.Subflows[0].Unavailable); diff != "" {
		t.Errorf("what was null before keeps its reason (-want +got):\n%s", diff)
	}
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
		if worth != c.worth || lead != c.lead || (d.ReinjectionWorth == nil) != (c.worth != "") {
			t.Errorf("%s: %+v, null because %q and %q; want %q and %q", c.evidence, d.ReinjectionWorth, worth, lead, c.worth, c.lead)
		}
	}
}
