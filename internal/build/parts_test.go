package build_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/tracegen"
)

// overCells names the figures of a rate over the cells of the grid.
func overCells(rate string) string {
	return strings.ReplaceAll("R.cell_mean R.cov R.max R.min R.p50 R.p95 R.p99 R.stddev R.variance", "R", rate)
}

// parts are the reasons that do not concern whole metrics, each with the names that it is of.
func parts(reasons report.Reasons) map[string]string {
	out := map[string]string{}
	for _, r := range reasons {
		if strings.Contains(r.Metric, ".") {
			out[r.Why] = strings.TrimSpace(out[r.Why] + " " + r.Metric)
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
	const extents, round = "out_of_order.extent_bytes out_of_order.extent_chunks out_of_order.extent_ms", "cwnd_decisions.next_mss"
	for name, c := range map[string]struct {
		play     func(f, g *tracegen.Subflow)
		sub, all map[string]string // of what A sends: of subflow 0, of the connection
	}{
		"one segment": {func(f, _ *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
		}, map[string]string{moment: "drops.per_s", single: round}, map[string]string{inOrder: extents}},
		"two in one cell and one round": {func(f, _ *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
			f.Data(tracegen.A2B, 110*ms, 1000, 1000)
		}, map[string]string{single: round, noCell: overCells("throughput_mbps")}, map[string]string{inOrder: extents, noCell: overCells("goodput_mbps") + " " + overCells("throughput_mbps")}},
		"two cells, two rounds": {func(f, _ *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 0, 1000)
			f.Data(tracegen.A2B, 300*ms, 1000, 1000)
		}, map[string]string{single: round}, map[string]string{inOrder: extents}},
		"late": {func(f, _ *tracegen.Subflow) {
			f.Data(tracegen.A2B, 100*ms, 1000, 1000)
			f.Data(tracegen.A2B, 300*ms, 0, 1000)
		}, map[string]string{single: round}, map[string]string{}},
		"reinjected": {func(f, g *tracegen.Subflow) {
			g.Open(200 * ms)
			f.Data(tracegen.A2B, 400*ms, 0, 1000)
			g.Data(tracegen.A2B, 600*ms, 1000, 1000)
			f.Data(tracegen.A2B, 601*ms, 1000, 1000)
			// 3000 bytes in 201 ms; the two whole cells hold 1000 and none.
		}, map[string]string{single: round}, map[string]string{inOrder: extents, beyond: "throughput_mbps.max throughput_mbps.min", one: "reinjection_worth.lead_ms"}},
		"a path that died": {func(f, g *tracegen.Subflow) {
			g.Open(200 * ms)
			for i := range 10 {
				f.Data(tracegen.A2B, time.Duration(400+20*i)*ms, int64(i)*1000, 1000)
			}
			f.Data(tracegen.A2B, 600*ms, 10_000, 1000).Lose()
			for i := range 20 {
				g.Data(tracegen.A2B, time.Duration(1400+20*i)*ms, 10_000+int64(i)*1000, 1000)
			}
			// Of the first subflow 11 segments in 200 ms; the two whole cells hold 5 each.
		}, map[string]string{beyond: "throughput_mbps.max throughput_mbps.min"}, map[string]string{inOrder: extents, "the path stayed dead": "handovers[].failback_ms handovers[].recovered_s"}},
	} {
		s, f, g := twoPaths(50 * ms)
		f.Open(0)
		c.play(f, g)
		doc := document(t, s, tracegen.HostA)
		assert.Check(t, reporttest.Check(doc))
		k := &doc.Connections[0]
		assert.Check(t, is.DeepEqual(parts(k.Subflows[0].A2B.Unavailable), c.sub), "%s: subflow, a2b", name)
		if k.A2B.TimeAccount != nil {
			c.all["each subflow has its own"] = "time_account.room_while_waiting"
		}
		assert.Check(t, is.DeepEqual(parts(k.A2B.Unavailable), c.all), "%s: connection, a2b", name)
		idle := map[string]string{none: "drops.percent", "only a capture at the sender shows it": "drops.before_capture", moment: "drops.per_s", noCells: "srtt_ms.cell_mean"}
		assert.Check(t, is.DeepEqual(parts(k.Subflows[0].B2A.Unavailable), idle), "%s: subflow, b2a", name)
		assert.Check(t, is.DeepEqual(parts(k.B2A.Unavailable), map[string]string{none: "paths[].share_percent"}), "%s: connection, b2a", name)
	}
}
