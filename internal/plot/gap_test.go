package plot_test

import (
	"math"
	"strings"
	"testing"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
)

// The session has five samples of its path delay in 0.4 s, one every 0.1 s: ten
// times that is the silence that interrupts the line. The smoothed round-trip time
// holds until the next one.
func TestLinesKnowTheirSilence(t *testing.T) {
	l := figure(t, "series", "path_delay").Panels[0].Layers[0]
	if l.Shape != plot.Line || math.Abs(l.Gap-1) > 1e-9 {
		t.Errorf("shape %d, interrupted after %v s, want a line and 1 s", l.Shape, l.Gap)
	}
	if l := figure(t, "series", "srtt").Panels[0].Layers[0]; l.Shape != plot.Steps || l.Gap != 0 {
		t.Errorf("shape %d, interrupted after %v s, want steps and never", l.Shape, l.Gap)
	}
	if cdf := figure(t, "cdf", "srtt").Panels[0].Layers[0]; cdf.Gap != 0 {
		t.Errorf("a distribution function is interrupted after %v", cdf.Gap)
	}
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
		if m == nil {
			t.Fatal("no line in the figure")
		}
		if n := strings.Count(m[1], "M"); n != want {
			t.Errorf("gap %v: %d pieces, want %d: %s", gap, n, want, m[1])
		}
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
		if hex := "#D55E00"; !strings.Contains(draw(plot.Coord{X: 1, Lo: 2, Hi: 2}), hex) || strings.Contains(draw(), hex) {
			t.Errorf("shape %d: want something in %s for one value, and nothing for none", shape, hex)
		}
	}
}
