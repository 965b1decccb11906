package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// noSign is the number of a look without a sign.
const noSign = -1

// signs are forms that stand on a line a few times. With them, lines differ without colours and
// need no dashes, which are hard to read in a curve that goes up and down.
var signs = [...]draw.GlyphDrawer{
	draw.CircleGlyph{},
	polygon{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
	polygon{{-1.1, -0.9}, {1.1, -0.9}, {0, 1.2}},
	polygon{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}},
	draw.CrossGlyph{},
	polygon{{-1.1, 0.9}, {1.1, 0.9}, {0, -1.2}},
	draw.PlusGlyph{},
}

// polygon is a filled form; its corners are in radii.
type polygon [][2]float64

// DrawGlyph draws the form (gonum's draw.GlyphDrawer).
func (p polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var corners []vg.Point
	for _, d := range p {
		corners = append(corners, vg.Point{X: at.X + s.Radius*vg.Length(d[0]), Y: at.Y + s.Radius*vg.Length(d[1])})
	}
	c.FillPolygon(s.Color, corners)
}

const (
	signSize     = 2.1 // points
	signsPerLine = 6
)

// sign draws one sign.
func (l *Layer) sign(c *draw.Canvas, at vg.Point) {
	if l.Sign > 0 && contains(*c, at) {
		c.DrawGlyph(draw.GlyphStyle{Color: l.Colour, Radius: signSize, Shape: signs[(l.Sign-1)%len(signs)]}, at)
	}
}

// drawSigns draws the signs of a line at equal distances. The places differ between signs, so
// that those of curves that lie on each other are all seen.
func (l *Layer) drawSigns(c *draw.Canvas, x, y func(float64) vg.Length) {
	if l.Sign == 0 || len(l.XY) < 2 {
		return
	}
	along, most := make([]float64, len(l.XY)), l.XY[0].Lo
	wide, high := float64(c.Max.X-c.Min.X), float64(c.Max.Y-c.Min.Y)
	for i := 1; i < len(l.XY); i++ {
		along[i] = along[i-1] + math.Abs(float64(x(l.XY[i].X)-x(l.XY[i-1].X)))/wide
		if v := l.XY[i].Lo; v > most { // a distribution function rises: its steep part gets signs, too
			along[i] += math.Abs(float64(y(v)-y(most))) / high
			most = v
		}
	}
	step := along[len(along)-1] / signsPerLine
	next := step * float64(l.Sign) / float64(len(signs)+1)
	for i := range along {
		if along[i] < next {
			continue
		}
		l.sign(c, vg.Point{X: x(l.XY[i].X), Y: y(l.XY[i].Lo)})
		if !(step > 0) { // all points lie above each other
			return
		}
		for next <= along[i] {
			next += step
		}
	}
}

// outlineForms are the forms of the marks of paths.
var outlineForms = map[Mark]draw.GlyphDrawer{
	Spot: draw.CircleGlyph{}, Diamond: polygon{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}}, Circle: draw.CircleGlyph{},
	Box: polygon{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, Peak: polygon{{-1.2, -0.9}, {1.2, -0.9}, {0, 1.3}},
}

// outlined draws a filled mark with a dark line and a white one around it.
func (l *Layer) outlined(c *draw.Canvas, at vg.Point) {
	size := vg.Length(markSize)
	switch {
	case l.Pen > 0:
		size = vg.Length(l.Pen) / 2
	case l.Mark == Spot:
		size = 0.9
	}
	for _, s := range []draw.GlyphStyle{{Color: color.White, Radius: size + 1}, {Color: ink, Radius: size + 0.5}, {Color: l.Colour, Radius: size - 0.2}} {
		s.Shape = outlineForms[l.Mark]
		c.DrawGlyph(s, at)
	}
}
