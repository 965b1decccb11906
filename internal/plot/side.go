package plot

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mpanalyze/internal/palette"
)

// Side is a second vertical axis, at the right of a panel.
type Side struct {
	Title     string // with the unit
	Low, High float64
	Ramp      bool // it has the colours of the values beside it
	Whole     bool // the values are counts: ticks stand at whole numbers

	bytes bool // values are bytes until their unit is chosen, and Title has none
}

// shareSides gives second axes of one title the same range, which holds all their values. Tiles get their colours and numbers.
func (f *Figure) shareSides() {
	sides, by := map[string]*Side{}, map[*Side]float64{}
	for i := range f.Panels {
		if p := &f.Panels[i]; p.Right != nil {
			p.Right = cmp.Or(sides[p.Right.Title], p.Right)
			sides[p.Right.Title] = p.Right
		}
	}
	for p, l := range f.layers() {
		switch s := p.Right; {
		case l.Right:
			for _, c := range l.XY {
				s.High = max(s.High, c.Hi)
			}
		case s != nil && l.Shape == Tiles:
			s.Low, s.High = min(s.Low, l.value), max(s.High, l.value)
		}
	}
	for _, s := range sides {
		by[s] = s.settle()
	}
	for p, l := range f.layers() {
		if s := p.Right; s != nil && l.Shape == Tiles {
			v := l.value / by[s]
			l.Colour, l.Labels = palette.Ramp(s.part(v)), []string{threeDigits(v)}
			if s.Whole {
				l.Labels[0] = strconv.Itoa(int(v))
			}
		}
	}
}

// settle chooses the ends and the unit of an axis between whose ends all values lie. It returns by what these are divided.
func (a *Side) settle() float64 {
	by := 1.0
	switch {
	case !a.Ramp:
		a.High = max(1, 1.05*a.High)
	case a.Whole: // the first rank is dark
		a.Low, a.High = a.High, a.Low
	default:
		if a.bytes {
			var unit string
			unit, by = byteUnit(a.High)
			a.Title += " (" + unit + ")"
		}
		if a.Low > 0 && a.Low < a.High/4 {
			a.Low = 0
		}
		if a.Low == a.High {
			a.High = a.Low + by
		}
		a.Low, a.High = a.Low/by, a.High/by
	}
	return by
}

// ticks returns the ticks of an axis of this height.
func (a *Side) ticks(up vg.Length, s text.Style) (out []plot.Tick) {
	for most := mostTicks; most >= leastTicks; most-- {
		out = Ticks(min(a.Low, a.High), max(a.Low, a.High), most)
		if a.Whole && len(out) > 1 && out[1].Value != math.Trunc(out[1].Value) {
			continue
		}
		if vg.Length(len(out))*1.6*s.Font.Size <= up {
			break
		}
	}
	return out
}

// The parts of a second axis from the left, in sizes of the font.
const (
	sideLine  = 0.25 // from the data to the axis
	sideTick  = 0.5
	sideSpace = 0.3 // before the labels, and before the title
)

// sideWidth returns the width of a second axis right of the data.
func (s *sheet) sideWidth(row, column int) vg.Length {
	p, up := s.at(row, column), s.row/2
	if p.Right == nil || s.sharesSide(row, column) {
		return 0
	}
	labels, titles, em := s.layout.style(0, text.XLeft, text.YCenter), s.layout.style(1, text.XCenter, text.YTop), s.layout.em()
	label := vg.Length(0)
	for _, t := range p.Right.ticks(up, labels) {
		label = max(label, labels.Width(t.Label))
	}
	return (sideLine+p.Right.rampWidth()+sideTick+2*sideSpace)*em + label + 1.2*titles.Font.Size*vg.Length(strings.Count(fitted(p.Right.Title, titles, up), "\n")+1)
}

// sharesSide reports whether the panel to the right has the same second axis, which then stands
// for both.
func (s *sheet) sharesSide(row, column int) bool {
	p, next := s.at(row, column), s.at(row, column+1)
	return next != nil && next.Right != nil && p.Right != nil && *next.Right == *p.Right
}

// drawSide draws the second axis of a panel with these axes.
func (s *sheet) drawSide(axes draw.Canvas, row, column int) {
	p := s.at(row, column)
	if p.Right == nil || s.sharesSide(row, column) {
		return
	}
	a, em, up := p.Right, s.layout.em(), axes.Size().Y
	labels, titles := s.layout.style(0, text.XLeft, text.YCenter), s.layout.style(1, text.XCenter, text.YTop)
	pen, x := draw.LineStyle{Color: ink, Width: axisWidth}, axes.Max.X+sideLine*em
	if a.Ramp {
		drawRamp(axes, vg.Rectangle{Min: vg.Point{X: x, Y: axes.Min.Y}, Max: vg.Point{X: x + a.rampWidth()*em, Y: axes.Max.Y}})
		x += a.rampWidth() * em
	}
	axes.StrokeLine2(pen, x, axes.Min.Y, x, axes.Max.Y)
	wide := vg.Length(0)
	for _, t := range a.ticks(up, labels) {
		y := axes.Min.Y + up*vg.Length(a.part(t.Value))
		axes.StrokeLine2(pen, x, y, x+sideTick*em, y)
		axes.FillText(labels, vg.Point{X: x + (sideTick+sideSpace)*em, Y: y + em/10}, t.Label)
		wide = max(wide, labels.Width(t.Label))
	}
	titles.Rotation = math.Pi / 2
	axes.FillText(titles, vg.Point{X: x + (sideTick+2*sideSpace)*em + wide, Y: axes.Center().Y}, fitted(a.Title, titles, up))
}

// rampWidth returns the width of the colours, in sizes of the font.
func (a *Side) rampWidth() vg.Length {
	if a.Ramp {
		return 0.9
	}
	return 0
}

// rampSteps is the number of areas of different colours in a ramp.
const rampSteps = 64

// drawRamp draws all colours, from the bottom to the top. Each area reaches to the top, below the
// later ones, so that no light shines through between them.
func drawRamp(c draw.Canvas, in vg.Rectangle) {
	for i := range rampSteps {
		low := in.Min.Y + in.Size().Y*vg.Length(i)/rampSteps
		c.FillPolygon(palette.Ramp((float64(i)+0.5)/rampSteps), rectangle(in.Min.X, low, in.Max.X, in.Max.Y))
	}
}

// part returns where a value is on the axis, from 0 to 1.
func (a *Side) part(v float64) float64 { return (v - a.Low) / (a.High - a.Low) }

// onSide draws a layer whose values belong to the second axis.
type onSide struct {
	of   *Layer
	axis *Side
}

// Plot draws the layer (gonum's plot.Plotter).
func (l onSide) Plot(c draw.Canvas, g *plot.Plot) {
	x, _ := g.Transforms(&c)
	for _, p := range l.of.XY {
		l.of.mark(&c, vg.Point{X: x(p.X), Y: c.Min.Y + c.Size().Y*vg.Length(l.axis.part(p.Hi))})
	}
}
