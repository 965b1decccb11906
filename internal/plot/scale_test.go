package plot

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		labels    string
	}{
		{1, 100, "1 2 5 10 20 50 100"},
		{0.01, 1000, "0.01 0.1 1 10 100 1000"},
		{40, 150, "50 100"},
		{41, 49, "42 44 46 48"}, // less than two labels in a decade: steps of equal size
		{1e-9, 1e9, "1e-09 1e-06 0.001 1 1000 1e+06 1e+09"},
	} {
		var labels []string
		ticks := logTicks(c.low, c.high, mostTicks)
		for i, x := range ticks {
			assert.Check(t, x.Value >= c.low*(1-1e-9) && x.Value <= c.high*(1+1e-9) && (i == 0 || x.Value > ticks[i-1].Value), "%v to %v: a tick at %v", c.low, c.high, x.Value)
			if x.Label != "" {
				labels = append(labels, x.Label)
			}
		}
		assert.Check(t, is.Equal(strings.Join(labels, " "), c.labels), "%v to %v", c.low, c.high)
	}
}

func TestParseLimits(t *testing.T) {
	for text, want := range map[string]string{"0,50": "0 50", ",50": "- 50", "-1.5,": "-1.5 -", "1e3,2e3": "1000 2000"} {
		low, high, err := ParseLimits(text)
		assert.Check(t, err == nil && shown(low)+" "+shown(high) == want, "%s: %s to %s, %v", text, shown(low), shown(high), err)
	}
	for _, text := range []string{"", ",", "5", "5,1", "5,5", "a,b", "NaN,1", "0,Inf", "1,2,3"} {
		_, _, err := ParseLimits(text)
		assert.Check(t, is.ErrorContains(err, "want LOW,HIGH"), "%q", text)
	}
}

func shown(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// TestLeftOut: of a line from -1 to 3 two points have no place on a logarithmic axis; a bar from 0 on has one.
func TestLeftOut(t *testing.T) {
	line := Layer{Shape: Line, XY: []Coord{{0, -1, -1}, {1, 0, 0}, {2, 1, 1}, {3, 3, 3}}}
	bar := Layer{Shape: Bars, Width: 1, XY: []Coord{{0, 0, 2}}}
	numbers, names := Figure{Panels: []Panel{{Layers: []Layer{line}}}}, Figure{Panels: []Panel{{Names: []string{"a"}, Layers: []Layer{bar}}}}
	for _, c := range []struct {
		f    Figure
		o    Layout
		want int
	}{
		{numbers, Layout{}, 0}, {numbers, Layout{Y: Scale{Log: true}}, 2}, {numbers, Layout{X: Scale{Log: true}}, 1},
		{numbers, Layout{X: Scale{Log: true}, Y: Scale{Log: true}}, 2}, {names, Layout{X: Scale{Log: true}, Y: Scale{Log: true}}, 0},
	} {
		assert.Check(t, is.Equal(c.f.LeftOut(c.o), c.want), "%+v", c.o)
	}
	numbers.Panels[0].Layers[0].XY = line.XY[:2]
	assert.NilError(t, numbers.Write(&strings.Builder{}, "svg", Layout{Size: DefaultSize, Y: Scale{Log: true}}), "nothing above 0")
}
