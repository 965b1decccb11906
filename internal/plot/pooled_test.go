package plot_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// sample is a value of a series on a path, "" for the total.
type sample struct {
	path  string
	s     float64
	value float64
}

// run is one run whose series of that name has these samples.
func run(t *testing.T, scenario, metric string, samples []sample) *plot.Run {
	t.Helper()
	k := pooling(t)
	store := timeline.New(k.Config([]string{metric}, 0, 0))
	for _, x := range samples {
		put(t, store, "goodput", report.NoSubflow, [2]float64{x.s, 1})
		sub := slices.Index(paths, x.path)
		if sub < 0 {
			sub = report.NoSubflow
		}
		put(t, store, metric, sub, [2]float64{x.s, x.value})
	}
	c := report.Connection{Subflows: subflows(), A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	c.A2B.Bytes = new(int64(1))
	doc := &report.Document{Connections: report.List[report.Connection]{c}}
	return &plot.Run{Scenario: scenario, Document: doc, Store: store, Direction: report.A2B}
}

func series(t *testing.T, metric string, runs []*plot.Run) *plot.Figure {
	t.Helper()
	k := pooling(t)
	return drawnBy(t, &k, []string{metric}, runs...)
}

// pooling is the kind series with cells of 100 ms, in which many runs are compared.
func pooling(t *testing.T) plot.Kind {
	t.Helper()
	k := kindNamed(t, "series")
	k.Options.Cell = 1e8
	return k
}

// constant is a run whose series is value from 0 to end seconds, every 0.1 s.
func constant(t *testing.T, scenario string, value, end float64, paths ...string) *plot.Run {
	t.Helper()
	var all []sample
	for _, p := range paths {
		for i := 0; float64(i)/10 <= end; i++ {
			all = append(all, sample{p, float64(i) / 10, value})
		}
	}
	return run(t, scenario, "srtt", all)
}

// TestMeanOfManyRuns: nine runs are constantly at 1 to 9: their mean is 5, and their range 1 to 9. It ends where the first of
// them does. Eight runs are drawn one by one.
func TestMeanOfManyRuns(t *testing.T) {
	var runs []*plot.Run
	for i := range 9 {
		runs = append(runs, constant(t, "", float64(i+1), 5+5*float64(i/6), "wifi"))
	}
	f := series(t, "srtt", runs)
	assert.Assert(t, len(f.Panels) == 1 && len(f.Panels[0].Layers) == 2 && strings.Contains(f.Caption, "9 in all"),
		"%q: %d panels of %d layers, want an area and a line", f.Caption, len(f.Panels), len(f.Panels[0].Layers))
	area, line := f.Panels[0].Layers[0], f.Panels[0].Layers[1]
	assert.Check(t, area.Shape == plot.Areas && line.Shape == plot.Steps && area.Colour == palette.Of(0) && line.Colour == area.Colour && line.Name == "wifi",
		"shapes %d and %d, colours %v and %v, named %q", area.Shape, line.Shape, area.Colour, line.Colour, line.Name)
	for i, p := range area.XY {
		m := line.XY[i]
		assert.Assert(t, p.Lo == 1 && p.Hi == 9 && m.Lo == 5, "at %v s: %v, mean %v", p.X, p, m)
	}
	last := line.XY[len(line.XY)-1].X
	assert.Check(t, line.XY[0].X == 0 && math.Abs(last-5) < 1e-6, "drawn from %v to %v s, want 0 to 5", line.XY[0].X, last)
	layers := series(t, "srtt", runs[:8]).Panels[0].Layers
	assert.Check(t, len(layers) == 8 && layers[0].Shape == plot.Steps, "8 runs: %d layers of shape %d, want steps each", len(layers), layers[0].Shape)
}

// TestScenariosOfManyRuns: means of scenarios share a panel. Colours tell paths apart, and dashes scenarios.
func TestScenariosOfManyRuns(t *testing.T) {
	var runs []*plot.Run
	for i := range 10 {
		runs = append(runs, constant(t, fmt.Sprint("s", i%2), float64(i), 10, "wifi", "lte"))
	}
	f := series(t, "srtt", runs)
	var names []string
	for _, l := range f.Panels[0].Layers[4:] {
		names = append(names, l.Name)
	}
	got := strings.Join(names, ", ")
	assert.Check(t, len(f.Panels) == 1 && got == "s0 wifi, s0 lte, s1 wifi, s1 lte", "%d panels, the first has the lines %s", len(f.Panels), got)
}

// TestAreaIsFilled: the area between 1 and 3 is one closed polygon for each part without a gap.
// Without points, nothing is drawn.
func TestAreaIsFilled(t *testing.T) {
	l := plot.Layer{Shape: plot.Areas, Colour: palette.Of(1), Gap: 1.5, Width: 1}
	for _, x := range []float64{0, 1, 2, 5, 8, 9} {
		l.XY = append(l.XY, plot.Coord{X: x, Lo: 1, Hi: 3})
	}
	draw := func(l plot.Layer) string {
		return string(write(t, &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{l}}}}, "svg"))
	}
	assert.Check(t, is.Equal(strings.Count(draw(l), "fill-opacity:0.25"), 3), "areas")
	for _, c := range []struct {
		held    bool
		corners int
	}{{false, 2 * 3}, {true, 2 * 2 * 3}} { // below and above the first three points, or at both ends of their cells
		l.Held = c.held
		area := regexp.MustCompile(`<path d="([^"]*)"\s*style="[^"]*fill-opacity:0.25`).FindStringSubmatch(draw(l))
		assert.Check(t, area != nil && strings.Count(area[1], "L")+1 == c.corners, "held %v: %q, want %d corners", c.held, area, c.corners)
	}
	l.XY = nil
	assert.Check(t, !strings.Contains(draw(l), "fill-opacity"), "an area of no points is drawn")
}
