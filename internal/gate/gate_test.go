package gate_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/checks"
	"mpanalyze/internal/gate"
	"mpanalyze/internal/report"
)

// session is a report on a download over two paths, of which a capture at both hosts would be
// needed for one-way delays, and a connection without data.
func session() *report.Document {
	down := func(srtt float64, lost int64) report.Subflow {
		stat := report.SRTTStat{CellMean: new(srtt)}
		stat.P95 = 2 * srtt
		d := &report.SubDir{Segments: 100, Bytes: new(int64(140_000)), SRTT: &stat, Drops: &report.Drops{Count: lost, Percent: new(float64(lost))}}
		d.Unavailable.Set("owd_ms", "it takes both hosts")
		return report.Subflow{A2B: &report.SubDir{Segments: 1, Bytes: new(int64(100))}, B2A: d}
	}
	wifi, lte := down(20, 0), down(60, 3)
	wifi.Path, lte.Path, lte.ID, lte.JoinDelay = "wifi", "10.0.0.1-10.0.0.2", 1, new(40.0)
	c := report.Connection{
		ID: 4, Subflows: []report.Subflow{wifi, lte},
		A2B: &report.ConnDir{Bytes: new(int64(200))},
		B2A: &report.ConnDir{Bytes: new(int64(280_000)), Goodput: &report.RateStat{Avg: 4.5}, ReinjectedBytes: new(int64(14_000))},
	}
	c.A2B.Unavailable.Set("goodput_mbps", "too little data")
	c.DurationS, c.Events = 9.5, report.List[report.Event]{{Kind: report.EventJoin}, {Kind: report.EventFail}, {Kind: report.EventFail}}
	c.Subflows = append(c.Subflows, report.Subflow{ID: 2, State: report.SubflowUnanswered})
	c.Verdicts = &report.List[report.Verdict]{{Code: report.VerdictPathDied}, {Code: report.VerdictHeavyLoss, Cause: &report.Cause{Code: report.CauseLinkDown}}}
	idle := report.Connection{ID: 5, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}, EventsOmitted: 7, Events: c.Events[:1]}
	plain := report.TCP{ID: 6, Verdicts: report.List[report.Verdict]{{Code: report.VerdictPathDied}}}
	return &report.Document{Connections: []report.Connection{c, idle}, TCP: []report.TCP{plain}}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		text            string
		failed, unknown []string
	}{
		{"b2a.goodput < 5Mbit/s", []string{"connection 4, b2a: 4.5 Mbit/s, limit 5 Mbit/s"}, nil},
		{"goodput<4400 kbit/s", nil, nil},
		{"goodput<=4.5", []string{"connection 4, b2a: 4.5 Mbit/s, limit 4.5 Mbit/s"}, nil},
		{"goodput < 4.5", nil, nil},
		{"a2b.goodput < 5", nil, []string{"connection 4, a2b: too little data"}},
		{"path.wifi.srtt.p95 > 0.03s", []string{"connection 4, b2a, path wifi: 40 ms, limit 30 ms"}, nil},
		{"path.10.0.0.1-10.0.0.2.srtt_ms > 59.9999", []string{"connection 4, b2a, path 10.0.0.1-10.0.0.2: 60 ms, limit 59.9999 ms"}, nil},
		{"10.*.srtt > 61", nil, nil},
		{"drops.percent >= 3%", []string{"connection 4, b2a, path 10.0.0.1-10.0.0.2: 3%, limit 3%"}, nil},
		{"subflows < 3", []string{"connection 4: 2, limit 3"}, nil},
		{"joins < 1", nil, nil},
		{"joins<=1", []string{"connection 4: 1, limit 1"}, nil},
		{"duration > 9s", []string{"connection 4: 9500 ms, limit 9000 ms"}, nil},
		{"reinjected.percent > 1", []string{"connection 4, b2a: 5%, limit 1%"}, nil},
		{"a2b.reinjected.percent > 1%", nil, []string{"connection 4, a2b: the report does not have it"}},
		{"events.mp_fail > 1", []string{"connection 4: 2, limit 1"}, []string{"connection 5: the report lists 0, and leaves out 7 events of any kind"}},
		{"events.join > 0", []string{"connection 4: 1, limit 0", "connection 5: 1, limit 0"}, nil},
		{"verdicts.path_died > 0", []string{"connection 4: 1, limit 0", "TCP connection 6: 1, limit 0"}, []string{"connection 5: the report has no verdicts"}},
		{"verdicts.link_down > 0", []string{"connection 4: 1, limit 0"}, []string{"connection 5: the report has no verdicts"}},
		{"drops.count != 0", []string{"connection 4, b2a, path 10.0.0.1-10.0.0.2: 3, limit 0"}, nil},
		{"path.sat.srtt > 1", nil, []string{"connection 4, b2a, path sat: no such subflow carried data; there are those of path wifi, 10.0.0.1-10.0.0.2"}},
		{"path.wifi.owd.max > 1", nil, []string{"connection 4, b2a, path wifi: it takes both hosts"}},
		{"path.10*.join_delay > 30ms", []string{"connection 4, path 10.0.0.1-10.0.0.2: 40 ms, limit 30 ms"}, nil},
		{"join_delay > 30ms", []string{"connection 4, path 10.0.0.1-10.0.0.2: 40 ms, limit 30 ms"}, nil},
		{"bytes < 1MB", []string{"connection 4, b2a: 280000 bytes, limit 1000000 bytes"}, nil},
	} {
		g, err := gate.Parse(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		results, judged, err := gate.Judge(session(), []*gate.Gate{g})
		if err != nil || judged < 1 {
			t.Fatalf("%d connections judged, %v", judged, err)
		}
		for i := range c.unknown {
			c.unknown[i] = "cannot tell: " + c.unknown[i]
		}
		assert.Check(t, is.DeepEqual(results[0].All(), slices.Concat(c.failed, c.unknown)), "%s:", c.text)
	}
}

// TestJudgeNamesSome judges 30 connections that all fail: 20 are named.
func TestJudgeNamesSome(t *testing.T) {
	doc := session()
	for range 29 {
		doc.Connections = append(doc.Connections, doc.Connections[0])
	}
	g, err := gate.Parse("goodput<5")
	assert.NilError(t, err)
	results, _, err := gate.Judge(doc, []*gate.Gate{g})
	if f := results[0].Lines(checks.Failed); err != nil || len(f) != 21 || f[20] != "and 10 more" {
		t.Errorf("%d lines, %v, %v", len(f), f, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"drops.percent":                 "want FIGURE < LIMIT",
		"> 5":                           "want FIGURE < LIMIT",
		"goodput <":                     "want FIGURE < LIMIT",
		"strt.p95 > 5":                  `no metric "strt"; did you mean srtt?`,
		"path.LTE.strt.p95 > 5":         `no metric "strt"; did you mean srtt?`,
		"srtt.p96 > 5":                  `srtt has no figure "p96"; there are srtt.avg`,
		"drops > 5":                     "want one of drops.count",
		"path.LTE.goodput > 5":          `goodput is of connections, not of paths; leave "LTE" out`,
		"path.srtt > 5":                 "want path.LABEL.METRIC",
		"handovers > 1":                 "handovers has no number to compare",
		"hol_queue > 1":                 "hol_queue_bytes.avg, hol_queue_segments.avg",
		"b2a.join_delay > 1":            "leave b2a out",
		"goodput < 5 ms":                `the unit "ms" does not fit; want Mbit/s`,
		"srtt > 5 kB":                   "want ms, ns",
		"resets > 1 ms":                 "want packets",
		"goodput < fast":                "want a number",
		"goodput < NaN":                 "want a number",
		"rtt.cov > 1 ms":                "without a unit",
		"events > 1":                    "did you mean events.rst",
		"events.mp_fial > 0":            "did you mean events.mp_fail",
		"verdicts.xyzzy > 0":            "mpanalyze explain the codes",
		"b2a.subflows > 0":              "did you mean subflows?",
		"duration > 1 kB":               "want ms",
		"path.x.reinjected.percent > 1": `no metric "reinjected"`,
	} {
		if _, err := gate.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzParse judges a report by whatever is taken for a gate: each of its places fails, passes or
// has a reason.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"b2a.goodput < 5Mbit/s", "path.10.*.srtt.p95>=1e3", "drops.percent != 1%", "path..=", "a2b.path.*.*.join_delay<1s", "events.join<1", "a2b.reinjected.percent>1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := gate.Parse(text)
		if err != nil {
			return
		}
		if results, judged, err := gate.Judge(session(), []*gate.Gate{g}); err != nil || judged < 1 || results[0].Name != g.Text {
			t.Errorf("%q: %+v, %d, %v", text, results, judged, err)
		}
	})
}
