package plot

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	rowHeight = 13 * vg.Length(1)
	swatch    = 22 * vg.Length(1)
	gap       = 14 * vg.Length(1)
	indent    = 34 * vg.Length(1)
)

// legend puts the layers' names in rows at the top of c, outside the axes,
// where they hide no data, and returns the height of the rows. It draws only
// with show.
func (p *Panel) legend(c draw.Canvas, show bool) vg.Length {
	s := style(9, text.XLeft, text.YCenter)
	seen := map[string]bool{}
	x, y := c.Min.X+indent, c.Max.Y-rowHeight/2
	rows := 0
	if p.Head != "" {
		rows = 1
		if show {
			c.FillText(s, vg.Point{X: x, Y: y}, p.Head+":")
		}
		x += s.Width(p.Head+":") + gap
	}
	for i := range p.Layers {
		l := &p.Layers[i]
		if l.Name == "" || seen[l.Name] {
			continue
		}
		seen[l.Name] = true
		width := swatch + 4 + s.Width(l.Name) + gap
		switch {
		case rows == 0:
			rows = 1
		case x+width > c.Max.X+gap:
			rows++
			x, y = c.Min.X+indent, y-rowHeight
		}
		if show {
			l.swatch(&c, x, y-1) // the middle of small letters lies below that of the line
			c.FillText(s, vg.Point{X: x + swatch + 4, Y: y}, l.Name)
		}
		x += width
	}
	return vg.Length(rows) * rowHeight
}

// swatch shows what the layer looks like.
func (l *Layer) swatch(c *draw.Canvas, x, y vg.Length) {
	switch l.Shape {
	case Dots:
		l.mark(c, vg.Point{X: x + swatch/2, Y: y})
	case Bars, Boxes, Spans, Areas:
		c.FillPolygon(l.Colour, rectangle(x+6, y-3, x+swatch-6, y+3))
	default:
		c.StrokeLine2(l.stroke(1.6), x, y, x+swatch, y)
	}
}
