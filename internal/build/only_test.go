package build_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/tracegen"
)

// TestOnly: a report on one direction has, for that direction and for connections and subflows,
// the same as the report on both directions, and nothing on the other direction.
func TestOnly(t *testing.T) {
	both := func() *report.Document {
		d := document(t, session(), tracegen.HostA)
		c := &d.Connections[0]
		d.TCP = report.List[report.TCP]{{A2B: &report.SubDir{Segments: 3}, B2A: &report.SubDir{Segments: 4}}}
		for _, dir := range []*report.Direction{nil, new(report.A2B), new(report.B2A)} {
			v := report.Verdict{Direction: dir}
			*c.Verdicts = append(*c.Verdicts, v)
			d.TCP[0].Verdicts = append(d.TCP[0].Verdicts, v)
		}
		c.Events = append(c.Events, report.Event{Detail: "of no packet"})
		return d
	}
	for _, dir := range []report.Direction{report.A2B, report.B2A} {
		got, want := both(), both()
		report.Only(got, dir)
		sound := document(t, session(), tracegen.HostA)
		report.Only(sound, dir)
		if err := reporttest.Check(sound); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		c, plain := &want.Connections[0], &want.TCP[0]
		other := report.A2B
		if dir == report.A2B {
			other = report.B2A
		}
		const why = "not asked for (--direction)"
		c.Unavailable.Set(string(other), why)
		plain.Unavailable.Set(string(other), why)
		for i := range c.Subflows {
			c.Subflows[i].Unavailable.Set(string(other), why)
		}
		if dir == report.A2B {
			c.B2A, plain.B2A = nil, nil
			for i := range c.Subflows {
				c.Subflows[i].B2A = nil
			}
		} else {
			c.A2B, plain.A2B = nil, nil
			for i := range c.Subflows {
				c.Subflows[i].A2B = nil
			}
		}
		var events report.List[report.Event]
		for _, e := range c.Events {
			if e.Direction == nil || *e.Direction == dir {
				events = append(events, e)
			}
		}
		if len(events) < 2 || len(events) == len(c.Events) {
			t.Fatalf("%s: %d of %d events are of it", dir, len(events), len(c.Events))
		}
		c.Events = events
		*c.Verdicts = report.List[report.Verdict]{{}, {Direction: &dir}}
		plain.Verdicts = *c.Verdicts
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
}
