package build_test

import (
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/tracegen"
)

// The figures of a rate over the cells of the grid.
var overCells = []string{"min", "max", "p50", "p95", "p99", "stddev", "cell_mean", "variance", "cov"}

// of returns a reason for each part of a metric.
func of(metric, why string, parts ...string) map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		out[metric+"."+p] = why
	}
	return out
}

// all puts reasons together.
func all(lists ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, l := range lists {
		maps.Copy(out, l)
	}
	return out
}

// parts are the reasons that do not concern whole metrics.
func parts(reasons report.Reasons) map[string]string {
	out := map[string]string{}
	for _, r := range reasons {
		if strings.Contains(r.Metric, ".") {
			out[r.Metric] = r.Why
		}
	}
	return out
}

// TestReasonsOfParts: if a part of a metric is null although the metric has a value, it has a
// reason beside the metric. Nothing else has one.
func TestReasonsOfParts(t *testing.T) {
	const (
		ms      = time.Millisecond
		none    = "no data passed in this direction"
		moment  = "fewer than two moments at which data passed"
		noCell  = "the data covers no whole cell"
		beyond  = "the average of the active time lies beyond all whole cells: they hold too little of the data for extremes"
		inOrder = "no chunk was late"
		single  = "fewer than two rounds of congestion avoidance have a throughput estimate"
		noCells = "protocol_delay_ms has no cell in which the subflow was open and had a smoothed round-trip time"
		one     = "it takes captures at both hosts: --sender FILE --receiver FILE"
	)
	extents := of("out_of_order", inOrder, "extent_chunks", "extent_bytes", "extent_ms")
	idle := all(of("drops", none, "percent"), of("drops", "only a capture at the sender shows it", "before_capture"))
	noTime := of("drops", moment, "per_s")
	oneRound := of("cwnd_decisions", single, "next_mss")
	slow := tracegen.Path{
		A: netip.MustParseAddrPort("10.0.2.1:40001"), B: netip.MustParseAddrPort("10.0.1.1:80"), Nonce: [2]uint32{1, 2},
		Delay: [2]time.Duration{50 * ms, 50 * ms},
	}
	for _, c := range []struct {
		name     string
		play     func(*tracegen.Session, *tracegen.Subflow)
		sub, all map[string]string // of what A sends: of subflow 0, of the connection
	}{
		{"one segment", func(_ *tracegen.Session, f *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
		}, all(noTime, oneRound), extents},
		{"two in one cell and one round", func(_ *tracegen.Session, f *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
			f.Data(tracegen.A2B, 110*ms, 1000, 1000)
		}, all(oneRound, of("throughput_mbps", noCell, overCells...)), all(extents, of("throughput_mbps", noCell, overCells...), of("goodput_mbps", noCell, overCells...))},
		{"two cells, two rounds", func(_ *tracegen.Session, f *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
			f.Data(tracegen.A2B, 300*ms, 1000, 1000)
		}, oneRound, extents},
		{"late", func(_ *tracegen.Session, f *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 1000, 1000)
			f.Data(tracegen.A2B, 300*ms, 0, 1000)
		}, oneRound, nil},
		{"reinjected", func(s *tracegen.Session, f *tracegen.Subflow) {
			g := s.Subflow(slow)
			g.Open(200 * ms)
			f.Data(tracegen.A2B, 400*ms, 0, 1000)
			g.Data(tracegen.A2B, 600*ms, 1000, 1000)
			f.Data(tracegen.A2B, 601*ms, 1000, 1000)
			// 3000 bytes in 201 ms; the two whole cells hold 1000 and none.
		}, oneRound, all(extents, of("throughput_mbps", beyond, "min", "max"), of("reinjection_worth", one, "lead_ms"))},
		{"a path that died", func(s *tracegen.Session, f *tracegen.Subflow) {
			g := s.Subflow(slow)
			g.Open(200 * ms)
			for i := range 10 {
				f.Data(tracegen.A2B, time.Duration(400+20*i)*ms, int64(i)*1000, 1000)
			}
			f.Data(tracegen.A2B, 600*ms, 10_000, 1000).Lose()
			for i := range 20 {
				g.Data(tracegen.A2B, time.Duration(1400+20*i)*ms, 10_000+int64(i)*1000, 1000)
			}
			// Of the first subflow 11 segments in 200 ms; the two whole cells hold 5 each.
		}, of("throughput_mbps", beyond, "min", "max"), all(extents, of("handovers[]", "the path stayed dead", "recovered_s", "failback_ms"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
			f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
			f.Open(0)
			c.play(s, f)
			doc := document(t, s, tracegen.HostA)
			assert.Check(t, reporttest.Check(doc))
			k := &doc.Connections[0]
			for _, d := range []struct {
				name string
				got  report.Reasons
				want map[string]string
			}{
				{"subflow, a2b", k.Subflows[0].A2B.Unavailable, c.sub},
				{"subflow, b2a", k.Subflows[0].B2A.Unavailable, all(idle, noTime, of("srtt_ms", noCells, "cell_mean"))},
				{"connection, a2b", k.A2B.Unavailable, c.all},
				{"connection, b2a", k.B2A.Unavailable, of("paths[]", none, "share_percent")},
			} {
				assert.Check(t, is.DeepEqual(parts(d.got), all(d.want)), "%s", d.name)
			}
		})
	}
}
