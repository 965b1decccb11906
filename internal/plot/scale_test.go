package plot

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
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

func TestSetLimits(t *testing.T) {
	for text, want := range map[string]string{"0,50": "0 50", ",50": "- 50", "-1.5,": "-1.5 -", "1e3,2e3": "1000 2000"} {
		var s Scale
		err := s.SetLimits(text)
		assert.Check(t, err == nil && shown(s.Low)+" "+shown(s.High) == want, "%s: %s to %s, %v", text, shown(s.Low), shown(s.High), err)
	}
	for _, text := range []string{"", ",", "5", "5,1", "5,5", "a,b", "NaN,1", "0,Inf", "1,2,3"} {
		assert.Check(t, is.ErrorContains(new(Scale).SetLimits(text), "want LOW,HIGH"), "%q", text)
	}
}

func shown(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// TestCheckScales: of a line from -1 to 3 two points have no place on a logarithmic axis; a bar from 0 on has one. An axis of names
// has no scale.
func TestCheckScales(t *testing.T) {
	line := Layer{Shape: Line, XY: []Coord{{0, -1, -1}, {1, 0, 0}, {2, 1, 1}, {3, 3, 3}}}
	bar := Layer{Shape: Bars, Width: 1, XY: []Coord{{0, 0, 2}}}
	numbers, names, rows := Panel{Layers: []Layer{line}}, Panel{Names: []string{"a"}, Layers: []Layer{bar}}, Panel{Rows: []Row{{Name: "a"}}}
	log, low := Scale{Log: true}, Scale{Low: new(1.0)}
	for _, c := range []struct {
		panels []Panel
		o      Layout
		want   string
	}{
		{[]Panel{numbers}, Layout{}, ""},
		{[]Panel{numbers}, Layout{Y: low}, ""},
		{[]Panel{numbers}, Layout{Y: log}, ": 2 points"},
		{[]Panel{numbers}, Layout{X: log}, ": 1 points"},
		{[]Panel{numbers, numbers}, Layout{X: log, Y: log}, ": 4 points"},
		{[]Panel{names}, Layout{Y: log}, ""},
		{[]Panel{names, numbers}, Layout{X: log}, ": 1 points"},
		{[]Panel{names}, Layout{X: log}, "horizontal"},
		{[]Panel{names}, Layout{X: low}, "horizontal"},
		{[]Panel{rows}, Layout{Y: low}, "vertical"},
		{[]Panel{{Places: []string{"b"}}}, Layout{Y: log}, "vertical"},
	} {
		f := Figure{Panels: c.panels}
		err := f.CheckScales(c.o)
		got := strings.Join(f.Notes, "\n")
		if err != nil {
			assert.Check(t, errors.Is(err, ErrScale), "%v", err)
			got = err.Error()
		}
		assert.Check(t, is.Contains(got, c.want), "%+v", c)
		assert.Check(t, is.Equal(got == "", c.want == ""), "%+v: %s", c, got)
	}
	numbers.Layers[0].XY = line.XY[:2]
	f := Figure{Panels: []Panel{numbers}}
	assert.NilError(t, f.Write(&strings.Builder{}, "svg", Layout{Size: DefaultSize, Y: Scale{Log: true}}), "nothing above 0")
}

// TestLinesFallOnLog: a line falls to the end of a logarithmic axis at points that have no place on it. An area and bars begin there.
func TestLinesFallOnLog(t *testing.T) {
	for _, c := range []struct {
		layer Layer
		want  string // x of the first and the last point of each part
	}{
		{Layer{Shape: Line}, "0-2 4-5"}, // the axis begins at 5
		{Layer{Shape: Steps}, "0-2 4-5"},
		{Layer{Shape: Steps, Width: 3}, "0-2 4-8"},
		{Layer{Shape: Dots, Mark: Disc}, "0-0 1-1 4-4 5-5"},
	} {
		l := c.layer
		l.Colour, l.XY = color.NRGBA{0xff, 0, 0xff, 0xff}, []Coord{{0, 5, 5}, {1, 6, 6}, {2, 0, 0}, {3, -1, -1}, {4, 5, 5}, {5, 7, 7}}
		f := Figure{Panels: []Panel{{Fit: true, Layers: []Layer{l}}}}
		o := Layout{Size: DefaultSize, X: Scale{Low: new(0.0), High: new(10.0)}, Y: Scale{Log: true}}
		s, err := f.fit(&o)
		assert.NilError(t, err)
		axes := s.places[0][0].axes
		var svg strings.Builder
		assert.NilError(t, f.Write(&svg, "svg", o))
		var got []string
		for _, path := range regexp.MustCompile(`<path d="([^"]*)"[^>]*#FF00FF`).FindAllStringSubmatch(svg.String(), -1) {
			for part := range strings.SplitSeq(strings.TrimPrefix(path[1], "M"), "M") {
				low, high := math.Inf(1), math.Inf(-1)
				for at := range strings.SplitSeq(strings.TrimSuffix(part, "Z"), "L") {
					x, _, _ := strings.Cut(at, ",")
					v, err := strconv.ParseFloat(x, 64)
					assert.NilError(t, err, part)
					low, high = min(low, v), max(high, v)
				}
				in := func(v float64) float64 {
					return math.Round(max(0, v-float64(axes.Min.X))/float64(axes.Size().X)*20) / 2
				}
				got = append(got, fmt.Sprintf("%v-%v", in(low), in(high)))
			}
		}
		assert.Check(t, is.Equal(strings.Join(got, " "), c.want), "%v, width %v", l.Shape, l.Width)
	}
}

// TestTicksAtLimits: the label of a tick at the upper limit has room, though the steps of 0.1 add up to more than 0.6.
func TestTicksAtLimits(t *testing.T) {
	s := Scale{High: new(0.6)}
	ticks := s.ticks(0.2, 0.6, mostTicks)
	last := ticks[len(ticks)-1]
	assert.Check(t, last.Value == 0.6 && strings.HasPrefix(last.Label, "0.6"), "%+v", last)
	plain := Ticks(0.2, 0.6, 5)
	assert.Check(t, plain[len(plain)-1].Value > 0.6, "this test needs limits whose ticks are rounded up: %+v", plain)
}

// TestBarsOnLog: the lowest bar has a height, also where it is a power of ten.
func TestBarsOnLog(t *testing.T) {
	for low, want := range map[float64]float64{10: 1, 50: 10, 1000: 100, 0.01: 0.001} {
		f := Figure{Panels: []Panel{{Names: []string{"a", "b"}, Layers: []Layer{{Shape: Bars, Width: 1, XY: []Coord{{0, 0, low}, {1, 0, 3 * low}}}}}}}
		s, err := f.fit(&Layout{Size: DefaultSize, Y: Scale{Log: true}})
		assert.NilError(t, err)
		assert.Check(t, math.Abs(s.plots[0][0].Y.Min/want-1) < 1e-9, "bars from %v on: the axis begins at %v, want %v", low, s.plots[0][0].Y.Min, want)
	}
}

// TestMomentsInLimits: an event that a limit cuts off is neither drawn nor in the legend.
func TestMomentsInLimits(t *testing.T) {
	line := Layer{Shape: Line, XY: []Coord{{0, 1, 1}, {1, 1, 1}, {10, 2, 2}}}
	f := Figure{Panels: []Panel{{Layers: []Layer{line}, Moments: []Moment{{X: 0, Letter: "J", Name: "join"}, {X: 5, Letter: "H", Name: "handover"}}}}}
	for _, c := range []struct {
		x              Scale
		join, handover int
	}{
		{Scale{}, 2, 2}, {Scale{Log: true}, 0, 2}, {Scale{Low: new(1.0)}, 0, 2}, {Scale{High: new(4.0)}, 2, 0}, {Scale{Low: new(5.0), High: new(6.0)}, 0, 2},
	} {
		var b strings.Builder
		assert.NilError(t, f.Write(&b, "svg", Layout{Size: DefaultSize, X: c.x}))
		got := []int{strings.Count(b.String(), ">J</text>"), strings.Count(b.String(), ">H</text>")}
		assert.Check(t, got[0] == c.join && got[1] == c.handover, "%+v: letters J and H: %v", c, got)
	}
}
