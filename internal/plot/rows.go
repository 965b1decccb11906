package plot

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Row is a part of a panel: a line of words, below it a curve with a scale of its own, below
// that a band.
type Row struct {
	Name  string
	Words []string // stand behind the name, as many as there is room for
	Note  string   // stands in place of the band, if there is none
	Full  float64  // the value at the upper end of the curve's scale; 0 for no curve
}

// The parts of a row, from its lower end, as parts of its height.
const (
	bandTop  = 0.28
	curveLow = 0.32
	curveTop = 0.76
	wordsAt  = 0.89

	// fewRows is the largest number of rows that fit into a panel of the usual height.
	fewRows = 3
	// aboveRows is the room for the letters of events, as a part of the height of all rows.
	aboveRows = 0.16
)

// leastRows returns the height that the rows of a panel need, in sizes of the font: a line of words
// has its part of each row, and two letters of events the part above all rows.
func (p *Panel) leastRows() vg.Length {
	const line = 1.2
	n := vg.Length(len(p.Rows))
	switch {
	case n == 0:
		return 0
	case len(p.Moments) == 0:
		return n * line / (1 - curveTop)
	}
	return max(n*line/(1-curveTop), momentRows/aboveRows) * (1 + aboveRows)
}

// rowLow returns the lower end of a row of n.
func rowLow(row, n int) float64 { return float64(n - 1 - row) }

// RowOf returns the row of n in which a value of the vertical axis is.
func RowOf(at float64, n int) int { return n - 1 - int(at) }

// drawnAt returns where a value is on the vertical axis.
func (l *Layer) drawnAt(v float64) float64 {
	if l.Scale == 0 {
		return v
	}
	return l.Shift + l.Scale*v
}

// intoRow moves a curve into a row of n, whose upper end of the scale is full.
func (l *Layer) intoRow(row, n int, full float64) {
	l.Shift, l.Scale = rowLow(row, n)+curveLow, (curveTop-curveLow)/full
}

// rowAxis gives the vertical axis the ticks of the rows: the ends of each curve's scale.
func (p *Panel) rowAxis(y *plot.Axis) {
	n := len(p.Rows)
	y.Min, y.Max = 0, float64(n)
	if len(p.Moments) > 0 {
		y.Max *= 1 + aboveRows
	}
	var ticks []plot.Tick
	for i, r := range p.Rows {
		if r.Full > 0 {
			ticks = append(ticks, plot.Tick{Value: rowLow(i, n) + curveLow, Label: "0"}, plot.Tick{Value: rowLow(i, n) + curveTop, Label: strconv.FormatFloat(r.Full, 'g', 3, 64)})
		}
	}
	y.Tick.Marker = plot.ConstantTicks(ticks)
}

// rows writes the words of the rows.
type rows struct {
	list  []Row
	style text.Style
}

// Plot writes the words (gonum's plot.Plotter).
func (l *rows) Plot(c draw.Canvas, g *plot.Plot) {
	_, y := g.Transforms(&c)
	for i, r := range l.list {
		at := vg.Point{X: c.Min.X + 0.3*l.style.Font.Size, Y: y(rowLow(i, len(l.list)) + wordsAt)}
		words, half := r.text(l.style, c.Max.X-at.X), 0.6*l.style.Font.Size
		c.FillPolygon(color.White, rectangle(at.X, at.Y-half, at.X+l.style.Width(words), at.Y+half)) // over the lines of events
		c.FillText(l.style, at, words)
		at.Y = y(rowLow(i, len(l.list)) + bandTop/2)
		c.FillText(l.style, at, cut(r.Note, l.style, c.Max.X-at.X))
	}
}

// text returns the name with as many of the words as fit into a width. A long name is shortened to
// leave room for them.
func (r *Row) text(s text.Style, width vg.Length) string {
	for _, name := range []string{r.Name, cut(r.Name, s, nameCut*width)} {
		for n := len(r.Words); n > 0; n-- {
			if all := name + ": " + strings.Join(r.Words[:n], ", "); s.Width(all) <= width {
				return all
			}
		}
	}
	return cut(r.Name, s, width)
}

// stripeStyle is the pen of stripes.
var stripeStyle = draw.LineStyle{Color: color.White, Width: 0.8}

// stripes returns the stripes of a rectangle. Those of rectangles
// side by side continue each other.
func (l *Layer) stripes(box []vg.Point) (p vg.Path) {
	pattern := l.Dash % len(dashes)
	if pattern == 0 {
		return nil
	}
	step, turn := vg.Length(4+pattern/2), vg.Length(1) // a stripe is where x + turn * y is a multiple of step
	if pattern%2 == 0 {
		turn = -1
	}
	low, high := box[0], box[2]
	inside := draw.Canvas{Rectangle: vg.Rectangle{Min: low, Max: high}}
	least, most := low.X+min(turn*low.Y, turn*high.Y), high.X+max(turn*low.Y, turn*high.Y)
	for at := step * vg.Length(math.Ceil(float64(least/step))); at < most; at += step {
		for _, line := range inside.ClipLinesXY([]vg.Point{{X: low.X, Y: turn * (at - low.X)}, {X: high.X, Y: turn * (at - high.X)}}) {
			p.Move(line[0])
			p.Line(line[1])
		}
	}
	return p
}
