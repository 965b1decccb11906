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
	k := kindNamed(t, "series")
	store := timeline.New(k.Config([]string{metric}, 0, 0))
	for _, x := range samples {
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
	k := kindNamed(t, "series")
	return drawnBy(t, &k, []string{metric}, runs...)
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

// TestQuartilesOfRuns: nine runs are constantly at 1 to 9, so their quartiles are 3, 5 and 7.
// From 5 s on three runs are left, which are too few for quartiles.
func TestQuartilesOfRuns(t *testing.T) {
	var runs []*plot.Run
	for i := range 9 {
		end := 5.0
		if i >= 6 {
			end = 10
		}
		runs = append(runs, constant(t, "", float64(i+1), end, "wifi"))
	}
	f := series(t, "srtt", runs)
	assert.Assert(t, len(f.Panels) == 1 && len(f.Panels[0].Layers) == 2 && strings.Contains(f.Title, "middle half of 9 runs"),
		"%q: %d panels of %d layers, want an area and a line", f.Title, len(f.Panels), len(f.Panels[0].Layers))
	area, line := f.Panels[0].Layers[0], f.Panels[0].Layers[1]
	assert.Check(t, area.Shape == plot.Areas && line.Shape == plot.Line && area.Colour == palette.Of(0) && line.Colour == area.Colour && line.Name == "",
		"shapes %d and %d, colours %v and %v, named %q", area.Shape, line.Shape, area.Colour, line.Colour, line.Name)
	for i, p := range area.XY {
		assert.Assert(t, is.Equal(p, (plot.Coord{X: p.X, Lo: 3, Hi: 7})), "area at %v s", p.X)
		m := line.XY[i]
		assert.Assert(t, m.X == p.X && m.Lo == 5, "median at %v s: %v, want 5", p.X, m)
	}
	first, last := area.XY[0].X, area.XY[len(area.XY)-1].X
	assert.Check(t, first <= 0.1 && last >= 4.9 && last <= 5.1, "drawn from %v to %v s, want 0 to 5", first, last)
	layers := series(t, "srtt", runs[:8]).Panels[0].Layers
	assert.Check(t, len(layers) == 8 && layers[0].Shape == plot.Steps, "8 runs: %d layers of shape %d, want steps each", len(layers), layers[0].Shape)
}

// TestRunsBetweenSamples: between its samples, a series of samples is interpolated; a series of
// cells, or of a value that is kept, has the earlier value. With 0 at 0 s and 10 at 10 s, they
// are at 5 and 0 in the middle.
func TestRunsBetweenSamples(t *testing.T) {
	for metric, half := range map[string]float64{"rtt": 5, "srtt": 0, "throughput": 0} {
		var runs []*plot.Run
		for range 9 {
			runs = append(runs, run(t, "", metric, []sample{{"wifi", 0, 0}, {"wifi", 10, 10}}))
		}
		line := series(t, metric, runs).Panels[0].Layers[1]
		for _, p := range line.XY {
			assert.Check(t, math.Abs(p.X-5) >= 0.04 || math.Abs(p.Lo-half) <= 0.04, "%s at %v s: %v, want %v", metric, p.X, p.Lo, half)
		}
		assert.Check(t, len(line.XY) == 150 && line.XY[149].Lo == 10, "%s: %d points, the last %v; want 150, the last at 10", metric, len(line.XY), line.XY[len(line.XY)-1])
	}
}

// TestScenariosOfManyRuns: four medians share a panel, told apart by dashes and
// colours; of more each scenario has a panel, with the totals behind the paths.
func TestScenariosOfManyRuns(t *testing.T) {
	figure := func(scenarios int, paths ...string) *plot.Figure {
		var runs []*plot.Run
		for i := range 5 * scenarios {
			runs = append(runs, constant(t, fmt.Sprint("s", i%scenarios), float64(i), 10, paths...))
		}
		return series(t, "srtt", runs)
	}
	p := &figure(2, "wifi", "lte").Panels[0]
	var names []string
	for _, l := range p.Layers[4:] {
		names = append(names, l.Name)
	}
	got := strings.Join(names, ", ")
	assert.Check(t, got == "s0 wifi, s0 lte, s1 wifi, s1 lte" && p.Head == "", "panel %q has the lines %s", p.Head, got)
	for n, columns := range map[int]int{3: 0, 4: 0, 5: 2} { // of five they stand side by side
		f := figure(n, "wifi", "lte")
		assert.Check(t, len(f.Panels) == n && f.Columns == columns, "%d scenarios: %d panels in %d columns, want %d", n, len(f.Panels), f.Columns, columns)
	}
	f := figure(3, "", "wifi", "lte")
	assert.Assert(t, len(f.Panels) == 3, "%d panels, want one for each of 3 scenarios", len(f.Panels))
	for i, p := range f.Panels {
		if want := fmt.Sprintf("s%d, 5 runs", i); p.Head != want || len(p.Layers) != 6 {
			t.Errorf("panel %d: %q with %d layers, want %q with 3 areas and 3 lines", i, p.Head, len(p.Layers), want)
		}
		for k, want := range []string{"wifi", "lte", "total"} {
			l := p.Layers[3+k]
			assert.Check(t, l.Name == want && l.Dash == 0, "panel %d: line %d is %q with dash %d, want %q drawn through", i, k, l.Name, l.Dash, want)
		}
	}
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
