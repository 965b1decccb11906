package plot_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// The session has five samples of its path delay in 0.4 s, one every 0.1 s: ten
// times that is the silence that interrupts the line. The smoothed round-trip time
// holds until the next one while data passes: its chunks pass 30 ms before its
// samples, so that there are ten moments from 0.1 to 0.53 s; ten times their mean
// distance is 0.43 / 9 * 10 s.
func TestLinesKnowTheirSilence(t *testing.T) {
	l := figure(t, "series", "path_delay").Panels[0].Layers[0]
	assert.Check(t, l.Shape == plot.Line && math.Abs(l.Gap-1) <= 1e-9, "shape %d, interrupted after %v s, want a line and 1 s", l.Shape, l.Gap)
	l = figure(t, "series", "srtt").Panels[0].Layers[0]
	assert.Check(t, l.Shape == plot.Steps && math.Abs(l.Gap-4.3/9) <= 1e-9, "shape %d, interrupted after %v s, want steps and 0.478 s", l.Shape, l.Gap)
	cdf := figure(t, "cdf", "srtt").Panels[0].Layers[0]
	assert.Check(t, cdf.Gap == 0, "a distribution function is interrupted after %v", cdf.Gap)
}

// Of points at 0, 1, 4, 8 and 9 s the third is alone between two gaps: a line, a
// dash and a line, each begun with a move of the pen.
func TestLineIsInterrupted(t *testing.T) {
	for gap, want := range map[float64]int{0: 1, 2: 3, 3.5: 2} {
		l := plot.Layer{Shape: plot.Line, Colour: palette.Of(0), Gap: gap}
		for _, x := range []float64{0, 1, 4, 8, 9} {
			l.XY = append(l.XY, plot.Coord{X: x, Lo: x, Hi: x})
		}
		f := &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{l}}}}
		m := pathTag.FindStringSubmatch(string(write(t, f, "svg")))
		assert.Assert(t, m != nil, "no line in the figure")
		assert.Check(t, is.Equal(strings.Count(m[1], "M"), want), "pieces with gap %v: %s", gap, m[1])
	}
}

// A series of one value is a dot: a line of one point is invisible.
func TestOneValueIsSeen(t *testing.T) {
	for _, shape := range []plot.Shape{plot.Line, plot.Steps} {
		colour := palette.Of(1)
		draw := func(xy ...plot.Coord) string {
			l := plot.Layer{Shape: shape, Colour: colour, XY: xy}
			return string(write(t, &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{l}}}}, "svg"))
		}
		if hex := fmt.Sprintf("#%02X%02X%02X", colour.R, colour.G, colour.B); !strings.Contains(draw(plot.Coord{X: 1, Lo: 2, Hi: 2}), hex) || strings.Contains(draw(), hex) {
			t.Errorf("shape %d: want something in %s for one value, and nothing for none", shape, hex)
		}
	}
}

// TestNoLineAcrossSilence: data passes on wifi every 0.1 s from 0 to 2 s and from 8 to
// 10 s. The smoothed round-trip time changes at 0.05, 1 and 9 s. Its value holds from
// 1 to 2 s, when data passed last, and from 8 s on again; in between is no line. The
// gap is the larger of a twentieth of 10 s and of ten times the mean distance of 45
// moments.
func TestNoLineAcrossSilence(t *testing.T) {
	r := run(t, "", "srtt", []sample{{"wifi", 0.05, 20}, {"wifi", 1, 30}, {"wifi", 9, 40}})
	for i := range 101 {
		if i <= 20 || i >= 80 {
			sent(t, r, chunk(0, int64(1+1000*i), int64(1+1000*i), 1000, int64(100*i), report.ChunkFirst))
		}
	}
	l := series(t, "srtt", []*plot.Run{r}).Panels[0].Layers[0]
	want := 10 * 10.0 / 44
	assert.Check(t, math.Abs(l.Gap-want) <= 1e-9, "gap %v s, want %v", l.Gap, want)
	value, breaks := map[float64]float64{}, [][2]float64{}
	for i, c := range l.XY {
		value[c.X] = c.Lo
		if i > 0 && c.X-l.XY[i-1].X > l.Gap {
			breaks = append(breaks, [2]float64{l.XY[i-1].X, c.X})
		}
	}
	assert.Check(t, len(breaks) == 1 && breaks[0] == [2]float64{2, 8} && value[2] == 30 && value[8] == 30 && value[9] == 40,
		"interrupted at %v, values %v; want one break from 2 to 8 s and 30 ms on both sides", breaks, value)
}

// TestCellsEndWithTheirTime: of cells of 0.1 s at 0, 0.1 and 0.5 s the second ends at
// 0.2 s and the third at 0.6 s: what lies between them has no value.
func TestCellsEndWithTheirTime(t *testing.T) {
	r := run(t, "", "protocol_delay", []sample{{"", 0, 10}, {"", 0.1, 20}, {"", 0.5, 30}})
	l := series(t, "protocol_delay", []*plot.Run{r}).Panels[0].Layers[0]
	assert.Check(t, math.Abs(l.Width-0.1) <= 1e-9 && math.Abs(l.Gap-0.15) <= 1e-9, "cells of %v s, interrupted after %v s; want 0.1 and 0.15", l.Width, l.Gap)
	_, x1, _, _ := l.DataRange()
	assert.Check(t, math.Abs(x1-0.6) <= 1e-9, "the last cell ends at %v s, want 0.6", x1)
	f := &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{{Shape: plot.Steps, Colour: palette.Of(0), Gap: l.Gap, Width: l.Width, XY: l.XY}}}}}
	m := pathTag.FindStringSubmatch(string(write(t, f, "svg")))
	assert.Check(t, m != nil && strings.Count(m[1], "M") == 2, "want a line in two pieces, got %q", m)
}
