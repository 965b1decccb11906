package plot_test

import (
	"math"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// chunk is data of the synthetic session: 1 ms = 1e6 ns.
func chunk(sub int, dsn, ssn, length, sentMS int64, kind report.ChunkKind) report.ChunkRow {
	r := report.ChunkRow{
		Cell: &report.Cell{Direction: report.A2B, Subflow: sub, Path: paths[sub]},
		DSN:  dsn, SSN: ssn, Length: length, Kind: kind, Sent: sentMS * 1e6,
		Acked: (sentMS + 20) * 1e6, DataAcked: report.NoTime, Arrived: report.NoTime, Delivered: report.NoTime,
	}
	if kind == report.ChunkFirst {
		r.DataAcked = (sentMS + 30) * 1e6
	}
	return r
}

// kindNamed returns a kind of figures.
func kindNamed(t *testing.T, name string) plot.Kind {
	t.Helper()
	k, err := plot.KindNamed(name)
	assert.NilError(t, err)
	return k
}

// drawnBy returns the figure that a kind makes of runs.
func drawnBy(t *testing.T, k *plot.Kind, names []string, runs ...*plot.Run) *plot.Figure {
	t.Helper()
	f, err := k.Make(runs, names)
	assert.NilError(t, err, "%s", k.Name)
	return f
}

// paths are those of the subflows 0 and 1.
var paths = []string{"wifi", "lte"}

// put enters values of a series into a store, each with its time in s. The values of the connection
// have the subflow [report.NoSubflow].
func put(t *testing.T, s *timeline.Store, metric string, sub int, values ...[2]float64) {
	t.Helper()
	cell := report.Cell{Direction: report.A2B, Subflow: sub}
	if sub != report.NoSubflow {
		cell.Path = paths[sub]
	}
	line := report.SeriesLine{Cell: &cell, Metric: metric}
	for _, v := range values {
		assert.NilError(t, s.Series([]report.SeriesRow{{SeriesLine: &line, T: int64(math.Round(v[0] * 1e9)), Value: v[1]}}))
	}
}

// sent enters a chunk into the store of a run.
func sent(t *testing.T, r *plot.Run, c report.ChunkRow) {
	t.Helper()
	assert.NilError(t, r.Store.Chunks([]report.ChunkRow{c}))
}

// subflows are two without any figure.
func subflows() (list report.List[report.Subflow]) {
	for i, path := range paths {
		list = append(list, report.Subflow{ID: i, Path: path, A2B: &report.SubDir{}, B2A: &report.SubDir{}})
	}
	return list
}

// session has 5 chunks of 1000 bytes on wifi every 100 ms from 100 ms on, and
// a reinjection of the last one onto lte at 600 ms.
func session(t *testing.T, k *plot.Kind, names []string) *plot.Run {
	t.Helper()
	conn := report.Connection{Subflows: subflows(), A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	conn.A2B.Bytes = new(int64(5000))
	conn.A2B.Paths = report.List[report.PathShare]{{Path: "wifi", FirstBytes: new(int64(5000)), Bytes: new(int64(5000)), Percent: new(100.0)}, {Path: "lte", FirstBytes: new(int64(0)), Percent: new(0.0), Bytes: new(int64(1000)), ReinjectedBytes: new(int64(1000))}}
	conn.A2B.Goodput = &report.RateStat{Avg: 12.5}
	r := &plot.Run{Document: &report.Document{Connections: report.List[report.Connection]{conn}}, Store: timeline.New(k.Config(names, 0, 0)), Connection: plot.AllConnections}
	for i := range int64(5) {
		sent(t, r, chunk(0, 1+1000*i, 1+1000*i, 1000, 100*(i+1), report.ChunkFirst))
		at := 0.1*float64(i+1) + 0.03
		put(t, r.Store, "rwnd", report.NoSubflow, [2]float64{at, 4000})
		for name, v := range map[string]float64{"srtt": float64(10 * (i + 1)), "path_delay": 30, "throughput": float64(i)} {
			put(t, r.Store, name, 0, [2]float64{at, v})
		}
	}
	sent(t, r, chunk(1, 4001, 1, 1000, 600, report.ChunkReinjection))
	assert.NilError(t, r.Resolve())
	return r
}

func figure(t *testing.T, kind string, names ...string) *plot.Figure {
	t.Helper()
	k := kindNamed(t, kind)
	return drawnBy(t, &k, names, session(t, &k, names))
}

// flat is a point of a curve.
func flat(x, y float64) plot.Coord { return plot.Coord{X: x, Lo: y, Hi: y} }

// layersOf returns the points of all layers of a panel by their names.
func layersOf(p *plot.Panel) map[string][]plot.Coord {
	all := map[string][]plot.Coord{}
	for _, l := range p.Layers {
		all[l.Name] = append(all[l.Name], l.XY...)
	}
	return all
}

// shows compares the points of some layers of a panel with what they should be.
func shows(t *testing.T, p *plot.Panel, want map[string][]plot.Coord) {
	t.Helper()
	near := func(a, b plot.Coord) bool {
		return math.Abs(a.X-b.X)+math.Abs(a.Lo-b.Lo)+math.Abs(a.Hi-b.Hi) < 1e-6
	}
	all := layersOf(p)
	for name, points := range want {
		got, ok := all[name]
		assert.Check(t, ok && slices.EqualFunc(got, points, near), "%s %s: %q is %v, want %v", p.Head, p.Y, name, got, points)
	}
}
