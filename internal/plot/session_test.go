package plot_test

import (
	"errors"
	"testing"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// chunk is data of the synthetic session: 1 ms = 1e6 ns.
func chunk(sub int, dsn, ssn, length, sentMS int64, kind report.ChunkKind) report.ChunkRow {
	r := report.ChunkRow{
		Cell: &report.Cell{Direction: report.A2B, Subflow: sub, Path: []string{"wifi", "lte"}[sub]},
		DSN:  dsn, SSN: ssn, Length: length, Kind: kind, Sent: sentMS * 1e6,
		Acked: (sentMS + 20) * 1e6, DataAcked: report.NoTime, Arrived: report.NoTime, Delivered: report.NoTime,
	}
	if kind == report.ChunkFirst {
		r.DataAcked = (sentMS + 30) * 1e6
	}
	return r
}

// session has 5 chunks of 1000 bytes on wifi every 100 ms from 100 ms on, and
// a reinjection of the last one onto lte at 600 ms.
func session(t *testing.T, k *plot.Kind, names []string) *plot.Run {
	t.Helper()
	s := timeline.New(k.Config(names, 0, 0))
	var err error
	for i := range int64(5) {
		c := chunk(0, 1+1000*i, 1+1000*i, 1000, 100*(i+1), report.ChunkFirst)
		err = errors.Join(err, s.Chunks([]report.ChunkRow{c}))
		for name, v := range map[string]float64{"rwnd": 4000, "srtt": float64(10 * (i + 1)), "path_delay": 30, "throughput": float64(i)} {
			if s.Wants(name) {
				at := *c.Cell
				if name == "rwnd" {
					at.Subflow, at.Path = report.NoSubflow, ""
				}
				line := report.SeriesLine{Cell: &at, Metric: name}
				err = errors.Join(err, s.Series([]report.SeriesRow{{SeriesLine: &line, T: c.Sent + 30e6, Value: v}}))
			}
		}
	}
	c := chunk(1, 4001, 1, 1000, 600, report.ChunkReinjection)
	if err = errors.Join(err, s.Chunks([]report.ChunkRow{c})); err != nil {
		t.Fatal(err)
	}
	conn := report.Connection{Subflows: report.List[report.Subflow]{{ID: 0, Path: "wifi", A2B: &report.SubDir{}, B2A: &report.SubDir{}}, {ID: 1, Path: "lte", A2B: &report.SubDir{}, B2A: &report.SubDir{}}}, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	conn.A2B.Bytes = new(int64(5000))
	conn.A2B.Paths = report.List[report.PathShare]{{Path: "wifi", FirstBytes: new(int64(5000)), Bytes: new(int64(5000)), Percent: new(100.0)}, {Path: "lte", FirstBytes: new(int64(0)), Percent: new(0.0), Bytes: new(int64(1000)), ReinjectedBytes: new(int64(1000))}}
	conn.A2B.Goodput = &report.RateStat{Avg: 12.5}
	r := &plot.Run{Document: &report.Document{Connections: report.List[report.Connection]{conn}}, Store: s, Connection: plot.AllConnections}
	if err := r.Resolve(); err != nil {
		t.Fatal(err)
	}
	return r
}

func figure(t *testing.T, kind string, names ...string) *plot.Figure {
	t.Helper()
	k, err := plot.KindNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	f, err := k.Make([]*plot.Run{session(t, &k, names)}, names)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// layerNamed returns the coordinates of a layer.
func layerNamed(t *testing.T, f *plot.Figure, name string) []plot.Coord {
	t.Helper()
	var names []string
	for _, p := range f.Panels {
		for _, l := range p.Layers {
			if l.Name == name {
				return l.XY
			}
			names = append(names, l.Name)
		}
	}
	t.Fatalf("no layer %q among %q", name, names)
	return nil
}
