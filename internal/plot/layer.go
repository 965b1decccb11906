package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dashes are the patterns of lines. They differ between scenarios, so that a figure can be read
// without colours. Their lengths fit into a sample line of the legend. With the colours there are enough for 64 paths.
var dashes = [...][]vg.Length{
	nil, {5, 2.5}, {1.5, 1.5}, {7, 2, 1.5, 2}, {10, 3}, {7, 2, 1.5, 2, 1.5, 2}, {1.5, 4}, {4, 1.5, 4, 4}, {3, 5}, {9, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5},
}

const (
	lineWidth  = 1.1 // points
	areaEdge   = 0.3
	dotHeight  = 1.2
	markSize   = 2.2
	smallMark  = 0.68 // part of their size that many marks have
	smallMarks = 2.6  // width of the marks of paths on narrow bars
	manyMarks  = 150  // if a layer has more marks, they are small, so that they do not hide the lines
)

// DataRange returns the extremes of the layer (gonum's plot.DataRanger).
func (l *Layer) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range l.XY {
		from, to := p.X-l.Width/2, p.X+l.Width/2
		if l.Shape == Steps {
			from, to = p.X, p.X+l.Width
		}
		x0, x1 = min(x0, from), max(x1, to)
		y0, y1 = min(y0, l.drawnAt(p.Lo)), max(y1, l.drawnAt(p.Hi))
	}
	return x0, x1, y0, y1
}

// Plot draws the layer (gonum's plot.Plotter).
func (l *Layer) Plot(c draw.Canvas, g *plot.Plot) {
	x, axis := g.Transforms(&c)
	y := func(v float64) vg.Length { return axis(l.drawnAt(v)) }
	switch l.Shape {
	case Line, Steps:
		l.line(c, x, y)
	case Spans:
		l.spans(c, x, y)
	case Dots:
		l.dots(c, x, y)
	case Bars, Tiles, Bands:
		if boxes := l.boxesInside(c, x, y); len(boxes) > 0 {
			l.fill(&c, boxes...)
		}
	case Areas:
		l.areas(c, x, y)
	case Intervals:
		l.intervals(c, x, y)
	}
}

// fill fills rectangles as one path, with stripes for the pattern of a dash. One element for each would make SVG files of many
// megabytes.
func (l *Layer) fill(c *draw.Canvas, boxes ...[]vg.Point) {
	var areas, stripes vg.Path
	for _, box := range boxes {
		for i, at := range box {
			if i == 0 {
				areas.Move(at)
			} else {
				areas.Line(at)
			}
		}
		areas.Close()
		stripes = append(stripes, l.stripes(box)...)
	}
	c.SetColor(l.Colour)
	c.Fill(areas)
	if len(stripes) > 0 {
		c.SetLineStyle(stripeStyle)
		c.Stroke(stripes)
	}
}

// boxesInside returns the rectangles that the data names, as far as they are inside the axes.
func (l *Layer) boxesInside(c draw.Canvas, x, y func(float64) vg.Length) (out [][]vg.Point) {
	add := func(from, to float64, p Coord) {
		if box := c.ClipPolygonXY(rectangle(x(from), y(p.Lo), x(to), y(p.Hi))); len(box) > 3 {
			out = append(out, box)
		}
	}
	for i, p := range l.XY {
		switch {
		case l.Shape != Bands:
			add(p.X-l.Width/2, p.X+l.Width/2, p)
		case i%2 == 1:
			add(l.XY[i-1].X, p.X, p)
		}
	}
	return out
}

// areas fills a polygon for each sequence of points without a gap. It is transparent. Of a pale one, it draws the edges.
func (l *Layer) areas(c draw.Canvas, x, y func(float64) vg.Length) {
	colour := l.Colour
	colour.A = 0x40
	for from := 0; from < len(l.XY); {
		to := from + 1
		for to < len(l.XY) && !l.broken(to) {
			to++
		}
		var above, below []vg.Point
		for _, p := range l.XY[from:to] {
			at := []float64{p.X}
			if l.Held || to == from+1 {
				at = []float64{p.X - l.Width/2, p.X + l.Width/2}
			}
			for _, t := range at {
				above, below = append(above, vg.Point{X: x(t), Y: y(p.Hi)}), append(below, vg.Point{X: x(t), Y: y(p.Lo)})
			}
		}
		from = to
		if l.Pale {
			colour.A = 0xc0
			strokeInside(c, draw.LineStyle{Color: colour, Width: areaEdge}, above, below)
			continue
		}
		slices.Reverse(below)
		c.FillPolygon(colour, c.ClipPolygonXY(append(above, below...)))
	}
}

func (l *Layer) stroke(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Colour, Width: width, Dashes: dashes[l.Dash%len(dashes)]}
}

// broken reports whether a line or an area is interrupted before a point.
func (l *Layer) broken(before int) bool {
	return l.Gap > 0 && l.XY[before].X-l.XY[before-1].X > l.Gap
}

func (l *Layer) line(c draw.Canvas, x, y func(float64) vg.Length) {
	switch len(l.XY) {
	case 0:
		return
	case 1: // a line of one point would not be visible
		dot := Layer{Shape: Dots, Colour: l.Colour, Mark: Disc, XY: l.XY}
		dot.dots(c, x, y)
		return
	}
	var lines [][]vg.Point
	var line []vg.Point
	hold := func(i int) {
		if l.Shape == Steps && l.Width > 0 {
			line = append(line, vg.Point{X: x(l.XY[i].X + l.Width), Y: y(l.XY[i].Lo)})
		}
	}
	for i, p := range l.XY {
		at := vg.Point{X: x(p.X), Y: y(p.Lo)}
		switch {
		case i > 0 && l.broken(i):
			hold(i - 1)
			lines = append(lines, line)
			line = []vg.Point{{X: at.X - lineWidth/2, Y: at.Y}, {X: at.X + lineWidth/2, Y: at.Y}} // so that a point between two gaps is visible
			continue
		case i > 0 && l.Shape == Steps:
			line = append(line, vg.Point{X: at.X, Y: y(l.XY[i-1].Lo)})
		}
		line = append(line, at)
	}
	hold(len(l.XY) - 1)
	strokeInside(c, l.stroke(lineWidth), append(lines, line)...)
	l.drawSigns(&c, x, y)
}

// spans draws all bars as one path. One element for each would make SVG files of many
// megabytes.
func (l *Layer) spans(c draw.Canvas, x, y func(float64) vg.Length) {
	pen := vg.Length(l.Pen)
	if pen == 0 {
		pen = dotHeight
	}
	var lines [][]vg.Point
	for _, p := range l.XY {
		lo, hi := y(p.Lo), y(p.Hi)
		if hi-lo < pen {
			lo, hi = (lo+hi-pen)/2, (lo+hi+pen)/2
		}
		lines = append(lines, []vg.Point{{X: x(p.X), Y: lo}, {X: x(p.X), Y: hi}})
	}
	strokeInside(c, l.stroke(pen), lines...)
}

// dots draws a mark at each point inside the axes.
func (l *Layer) dots(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, p := range l.XY {
		if at := (vg.Point{X: x(p.X), Y: y((p.Lo + p.Hi) / 2)}); c.Contains(at) {
			l.mark(&c, at)
		}
	}
}

// intervals draws error bars.
func (l *Layer) intervals(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 2}, {Color: l.Colour, Width: 0.8}} { // white around it, for dark bars
		for _, p := range l.XY {
			left, mid, right := x(p.X-l.Width/2), x(p.X), x(p.X+l.Width/2)
			strokeInside(c, s, []vg.Point{{X: mid, Y: y(p.Lo)}, {X: mid, Y: y(p.Hi)}})
			strokeInside(c, s, []vg.Point{{X: left, Y: y(p.Lo)}, {X: right, Y: y(p.Lo)}})
			strokeInside(c, s, []vg.Point{{X: left, Y: y(p.Hi)}, {X: right, Y: y(p.Hi)}})
		}
	}
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
