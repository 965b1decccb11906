package plot

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/stats"
)

// confidence of the error bars, as of the intervals that compare prints.
const confidence = 0.95

// meanBar returns a bar with the mean of the runs. If there are several runs, it has an error bar,
// the interval of the mean, and each run is a dot. The value stands above all of them.
func meanBar(l Layer, at float64, values []float64) []Layer {
	m := mean(values)
	l.XY = []Coord{{at, min(0, m), max(0, m)}}
	text := Layer{Shape: Texts, Width: l.Width, XY: []Coord{{at, m, max(0, m)}}, Labels: []string{threeDigits(m)}}
	if len(values) == 1 {
		return []Layer{l, text}
	}
	ci := stats.MeanInterval(values, confidence)
	interval := Layer{Name: "95 % interval of the mean", Shape: Intervals, Colour: palette.Total, Width: l.Width / 3, XY: []Coord{{at, ci[0], ci[1]}}}
	dots := Layer{Shape: Dots, Mark: Disc, Colour: faint}
	for _, v := range values {
		dots.XY = append(dots.XY, Coord{at - l.Width/4, v, v})
	}
	text.XY[0].Hi = max(text.XY[0].Hi, ci[1], slices.Max(values))
	return []Layer{l, dots, interval, text}
}

// intervals draws error bars.
func (l *Layer) intervals(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 2}, {Color: l.Colour, Width: 0.8}} { // white around it, for dark bars
		for _, p := range l.XY {
			left, mid, right := x(p.X-l.Width/2), x(p.X), x(p.X+l.Width/2)
			c.StrokeLine2(s, mid, y(p.Lo), mid, y(p.Hi))
			c.StrokeLine2(s, left, y(p.Lo), right, y(p.Lo))
			c.StrokeLine2(s, left, y(p.Hi), right, y(p.Hi))
		}
	}
}
