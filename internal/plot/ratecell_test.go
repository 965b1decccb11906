package plot_test

import (
	"math"
	"strings"
	"testing"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// bursts is a run of 10 s: the cells of 0.1 s have 6 and 9 Mbit/s in turn, and a chunk passes on
// wifi every so many ms.
func bursts(t *testing.T, k *plot.Kind, ms int64) *plot.Run {
	t.Helper()
	r := run(t, "", "srtt", nil)
	r.Store = timeline.New(k.Config([]string{"throughput"}, 0, 0))
	for _, metric := range []string{"throughput", "goodput"} {
		for i := range 100 {
			put(t, r.Store, metric, report.NoSubflow, [2]float64{0.05 + 0.1*float64(i), 6 + 3*float64(i%2)})
		}
	}
	for at := int64(50); at < 10000; at += ms {
		sent(t, r, chunk(0, 1+at, 1+at, 1, at, report.ChunkFirst))
	}
	r.Document.Connections[0].DurationS = 10
	return r
}

// TestRateCell: packets every 40 ms need cells of 5 * 40 = 200 ms; every 15 ms 75, which cells of
// 100 ms have; every 90 ms 450, for which 500 would leave fewer than 40 cells of 10 s, so 200 stay.
// An interval that is given stays.
func TestRateCell(t *testing.T) {
	for _, c := range []struct {
		every int64
		auto  bool
		want  float64
	}{{40, true, 0.2}, {15, true, 0.1}, {90, true, 0.2}, {40, false, 0.1}} {
		for _, kind := range []string{"grid", "series"} {
			k := kindNamed(t, kind)
			k.Options.Cell, k.Options.AutoCell = 100e6, c.auto
			f := drawnBy(t, &k, []string{"throughput"}, bursts(t, &k, c.every))
			layers := f.Panels[0].Layers
			l := layers[len(layers)-1] // the total
			if math.Abs(l.Width-c.want) > 1e-9 {
				t.Errorf("%s of packets every %d ms: cells of %v s, want %v", kind, c.every, l.Width, c.want)
			}
			if said := strings.Contains(f.Title, "rates in cells of 200 ms"); said != (c.want == 0.2) {
				t.Errorf("%s of packets every %d ms: title %q", kind, c.every, f.Title)
			}
			for _, p := range l.XY {
				if c.want == 0.2 && p.Lo != 7.5 {
					t.Errorf("%s: %v Mbit/s at %v s, want the mean of 6 and 9", kind, p.Lo, p.X)
				}
			}
		}
	}
}
