package plot_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// cellRun is a run with cells of 0.1 s from 0.05 s on: in cell k goodput and throughput
// are rate in total, throughput is half of that on each path, and chunks of wifi take
// delay and delay + 2 ms.
func cellRun(t *testing.T, k *plot.Kind, names []string, scenario string, rate, delay float64) *plot.Run {
	t.Helper()
	r := run(t, scenario, "srtt", nil)
	r.Store = timeline.New(k.Config(names, 0, 0))
	for i := range 10 {
		at := 0.05 + 0.1*float64(i)
		for _, metric := range []string{"goodput", "throughput"} {
			put(t, r.Store, metric, report.NoSubflow, [2]float64{at, rate})
		}
		for sub := range paths {
			put(t, r.Store, "throughput", sub, [2]float64{at, rate / 2})
		}
		put(t, r.Store, "path_delay", 0, [2]float64{at + 0.02, delay}, [2]float64{at + 0.07, delay + 2})
		put(t, r.Store, "path_delay", 1, [2]float64{at + 0.05, 3 * delay})
	}
	return r
}

// TestGrid: of three runs of lia, with 10, 20 and 60 ms, the mean delay of each cell on wifi is 30
// and 32 ms, 31 on average, from 11 to 61; olia's one run has 5 and 7. Throughput is
// that of the connection alone. A scenario has one colour in all panels.
func TestGrid(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 100e6
	names := []string{"throughput", "path_delay"}
	f := drawnBy(t, &k, names,
		cellRun(t, &k, names, "lia", 1, 10), cellRun(t, &k, names, "lia", 2, 20), cellRun(t, &k, names, "lia", 9, 60), cellRun(t, &k, names, "olia", 4, 5),
	)
	assert.Assert(t, len(f.Panels) == 3 && f.Columns == 2 && f.Panels[0].Head == "" && f.Panels[1].Head == "wifi" && f.Panels[2].Head == "lte",
		"%d panels in %d columns, want throughput, and path delay of wifi and of lte, in 2", len(f.Panels), f.Columns)
	golden(t, "grid", f)
	mean := [][2]float64{{4, 4}, {31, 6}, {90, 15}} // panel, scenario
	runs := []plot.Coord{{Lo: 1, Hi: 9}, {Lo: 11, Hi: 61}, {Lo: 30, Hi: 180}}
	for i := range f.Panels {
		want := map[string][]plot.Coord{}
		for n := range 10 {
			at := 0.1 * float64(n) // the data begins at 0.05 s, where the axis begins
			want[""] = append(want[""], plot.Coord{X: at + 0.05, Lo: runs[i].Lo, Hi: runs[i].Hi})
			want["lia"], want["olia"] = append(want["lia"], flat(at, mean[i][0])), append(want["olia"], flat(at, mean[i][1]))
		}
		shows(t, &f.Panels[i], want)
		for j, l := range f.Panels[i].Layers {
			assert.Check(t, l.Colour == f.Panels[0].Layers[j].Colour && math.Abs(l.Width-0.1) <= 1e-9 && (l.Shape == plot.Areas) == (j == 0),
				"panel %d: layer %d is of shape %d in %v with cells of %v s", i, j, l.Shape, l.Colour, l.Width)
		}
	}
}

// TestGridOfRunsApart: two runs of one scenario begin at 0.07 and 1.07 s with their data. Both have a pause in the fourth cell after it.
// The curves begin with the data, and end with that of the run that ends first, after 1 s: from there on the other alone has 3.
func TestGridOfRunsApart(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 100e6
	names := []string{"goodput"}
	var runs []*plot.Run
	for begins, cells := range map[float64]int{0.07: 10, 1.07: 20} {
		r := run(t, "lia", "goodput", nil)
		r.Store = timeline.New(k.Config(names, 0, 0))
		for i := range cells {
			rate := float64(cells) / 10
			if i == 3 {
				rate = 0
			}
			put(t, r.Store, "goodput", report.NoSubflow, [2]float64{begins + 0.1*float64(i), rate})
		}
		runs = append(runs, r)
	}
	f := drawnBy(t, &k, names, runs...)
	var mid, spread []plot.Coord
	for i := range 10 {
		mean, low, high := 1.5, 1., 2.
		if i == 3 {
			mean, low, high = 0, 0, 0
		}
		at := 0.1 * float64(i)
		mid, spread = append(mid, flat(at, mean)), append(spread, plot.Coord{X: at + 0.05, Lo: low, Hi: high})
	}
	shows(t, &f.Panels[0], map[string][]plot.Coord{"": slices.Concat(spread, mid)})
	assert.Check(t, f.Panels[0].X == "Time since the first data (s)" && len(f.Notes) == 1 && f.Notes[0] == "lia: its curves end at 1 s, where the first of its runs ends; the last one ends at 2 s", "%q, %q", f.Panels[0].X, f.Notes)
}

// TestGridOfYears: 34 years after the cells of the other runs, a run has another value. The
// cells become longer until a figure has room for them. The first holds all values but that
// one; their mean is the mean over the runs.
func TestGridOfYears(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 100e6
	names := []string{"throughput", "path_delay", "srtt"}
	r := cellRun(t, &k, names, "", 1, 10)
	put(t, r.Store, "throughput", report.NoSubflow, [2]float64{1 << 30, 50})
	put(t, r.Store, "path_delay", 0, [2]float64{1 << 30, 50})
	put(t, r.Store, "srtt", 0, [2]float64{0, 50}, [2]float64{1 << 30, 50})
	f := drawnBy(t, &k, names, r)
	assert.Assert(t, len(f.Notes) == 1 && len(f.Panels) == 4, "%d panels, notes %q", len(f.Panels), f.Notes)
	for i, first := range []float64{1, 11, 30, 50} {
		xy := f.Panels[i].Layers[0].XY
		assert.Check(t, len(xy) != 0 && len(xy) <= 4*1900+1 && math.Abs(xy[0].Lo-first) <= 1e-9 && (i >= 2 || xy[len(xy)-1].Lo == 50),
			"panel %d has %d cells, of which the first is %v", i, len(xy), xy[0])
	}
}

// TestGridBeforeData: a round trip was measured 34 years before the data. It is in no cell,
// and costs none.
func TestGridBeforeData(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 100e6
	names := []string{"srtt"}
	r := run(t, "", "srtt", nil)
	r.Store = timeline.New(k.Config(names, 0, 0))
	put(t, r.Store, "srtt", 0, [2]float64{0, 50})
	put(t, r.Store, "goodput", report.NoSubflow, [2]float64{1 << 30, 1})
	put(t, r.Store, "srtt", 0, [2]float64{1<<30 + 1, 60})
	f := drawnBy(t, &k, names, r)
	xy := f.Panels[0].Layers[0].XY
	assert.Check(t, len(xy) != 0 && len(xy) <= 4*1900+1 && xy[len(xy)-1].Lo == 60, "%d cells, want few and the last of 60 ms", len(xy))
}

// TestCellsOfSamples: a series of samples has the mean of each cell, and without cells each of them.
func TestCellsOfSamples(t *testing.T) {
	for cell, want := range map[int64]int{100e6: 10, 0: 20} {
		k := kindNamed(t, "series")
		k.Options.Cell = cell
		names := []string{"path_delay"}
		l := drawnBy(t, &k, names, cellRun(t, &k, names, "", 1, 10)).Panels[0].Layers[0]
		assert.Check(t, len(l.XY) == want && (l.Shape == plot.Line) == (cell == 0), "cells of %d ns: %d of shape %d, want %d", cell, len(l.XY), l.Shape, want)
		assert.Check(t, cell == 0 || l.XY[3].Lo == 11, "the mean of 10 and 12 ms is %v", l.XY[3].Lo)
	}
}

// TestSmooth: with a median of 0.3 s, a cell has the median of its own value and those beside it.
// The delays are 10, 10, 10, 90, 10 ...: the single high value disappears. The title says so.
func TestSmooth(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell = 100e6
	names := []string{"goodput"}
	for smooth, want := range map[int64]float64{0: 90, 300e6: 10} {
		k.Options.Smooth = smooth
		r := run(t, "", "srtt", nil)
		r.Store = timeline.New(k.Config(names, 0, 0))
		for i := range 9 {
			v := 10.0
			if i == 3 {
				v = 90
			}
			put(t, r.Store, "goodput", report.NoSubflow, [2]float64{0.1 * float64(i), v})
		}
		f := drawnBy(t, &k, names, r)
		xy := f.Panels[0].Layers[0].XY
		assert.Check(t, len(xy) == 9 && xy[3].Lo == want && strings.Contains(f.Caption, "median of 300 ms") == (smooth > 0), "smoothed by %d ns: %v, caption %q", smooth, xy, f.Caption)
	}
}
