package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mpanalyze/internal/palette"
)

// labels writes the labels of a layer above it. A label that is wider than its bar is written
// upright.
type labels struct {
	of    *Layer
	style text.Style
}

// gap is the distance between a label and the values of the layer, in sizes of the font. It is wider above the middle of a mark.
func (l *Layer) gap() vg.Length {
	if l.Shape == Dots {
		return 0.6
	}
	return 0.3
}

// upright reports whether a label has to be written upright over a bar of this width.
func upright(label string, s text.Style, width vg.Length) bool { return s.Width(label) > 1.1*width }

// letters returns the size of upright letters over a bar of this width: those of neighbours do not touch.
func letters(size, width vg.Length) vg.Length { return min(size, max(leastFont, 1.4*width)) }

// Plot writes the labels (gonum's plot.Plotter).
func (l *labels) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	if l.of.Shape == Tiles {
		l.inside(c, x, y)
		return
	}
	for i, p := range l.of.XY {
		s := l.style
		if !c.Contains(vg.Point{X: x(p.X), Y: y(p.Hi)}) {
			continue
		}
		if width := x(p.X+l.of.Width/2) - x(p.X-l.of.Width/2); upright(l.of.Labels[i], s, width) {
			s.Rotation, s.XAlign, s.YAlign, s.Font.Size = math.Pi/2, text.XLeft, text.YCenter, letters(s.Font.Size, width)
		}
		c.FillText(s, vg.Point{X: x(p.X), Y: y(p.Hi) + l.of.gap()*l.style.Font.Size}, l.of.Labels[i])
	}
}

// inside writes labels in the middle of tiles, if they fit in letters of leastFont or larger.
func (l *labels) inside(c draw.Canvas, x, y func(float64) vg.Length) {
	s := l.style
	if s.XAlign, s.YAlign = text.XCenter, text.YCenter; palette.Dark(l.of.Colour) {
		s.Color = color.White
	}
	for i, p := range l.of.XY {
		wide, high := x(p.X+l.of.Width/2)-x(p.X-l.of.Width/2), y(p.Hi)-y(p.Lo)
		s.Font.Size = min(l.style.Font.Size, high/tileSize)
		if w := s.Width(l.of.Labels[i]); w > 0.9*wide {
			s.Font.Size *= 0.9 * wide / w
		}
		if s.Font.Size >= leastFont {
			at, half := vg.Point{X: x(p.X), Y: y((p.Lo+p.Hi)/2) + s.Font.Size/10}, s.Width(l.of.Labels[i])/2
			if l.of.Dash != 0 { // no stripe goes through it
				c.FillPolygon(l.of.Colour, rectangle(at.X-half-1, at.Y-s.Font.Size/2, at.X+half+1, at.Y+s.Font.Size/2))
			}
			c.FillText(s, at, l.of.Labels[i])
		}
	}
}

// makeRoom raises the upper ends of the vertical axes until all labels fit below them. Axes with
// the same label keep the same range.
func (s *sheet) makeRoom() {
	highest := map[string]float64{}
	s.each(func(i, j int, p *Panel, g *plot.Plot) {
		size := s.places[i][j].axes.Size()
		for k := range p.Layers {
			if p.Layers[k].Labels == nil { // an axis of values below 0 keeps its end
				continue
			}
			highest[p.Y] = max(highest[p.Y], s.reach(&p.Layers[k], g, size))
		}
	})
	s.each(func(_, _ int, p *Panel, g *plot.Plot) {
		if high, ok := highest[p.Y]; ok {
			g.Y.Max = max(g.Y.Max, high)
		}
	})
}

// reach returns the value at which the vertical axis must end so that the labels of a layer fit.
func (s *sheet) reach(l *Layer, g *plot.Plot, size vg.Point) (high float64) {
	style := s.layout.style(0, text.XCenter, text.YBottom)
	if l.Shape == Tiles {
		return 0
	}
	for i, text := range l.Labels {
		need := (1.2 + l.gap()) * style.Font.Size
		if width := size.X * vg.Length(l.Width/(g.X.Max-g.X.Min)); upright(text, style, width) {
			need = (style.Width(text) + 2*l.gap()*style.Font.Size) * letters(style.Font.Size, width) / style.Font.Size
		}
		switch room := float64(size.Y / (size.Y - need)); {
		case need >= size.Y || s.layout.Y.High != nil:
		case s.layout.Y.Log:
			high = max(high, g.Y.Min*math.Pow(l.XY[i].Hi/g.Y.Min, room))
		default:
			high = max(high, g.Y.Min+(l.XY[i].Hi-g.Y.Min)*room)
		}
	}
	return high
}
