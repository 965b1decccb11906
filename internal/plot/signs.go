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
	diamond,
	draw.CrossGlyph{},
	polygon{{-1.1, 0.9}, {1.1, 0.9}, {0, -1.2}},
	draw.PlusGlyph{},
}

var diamond = polygon{{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}}

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

// drawSigns draws the signs of a line at equal distances. The places differ between signs, so that those of curves that lie on each
// other are all seen.
func (l *Layer) drawSigns(c *draw.Canvas, x, y func(float64) vg.Length) {
	along, next, most := vg.Length(0), signSize*vg.Length(l.Sign), math.Inf(-1)
	for i, p := range l.XY {
		if i > 0 {
			along += max(0, x(p.X)-x(l.XY[i-1].X))
			if p.Lo > most { // a distribution function rises: its steep part gets signs, too
				along += y(p.Lo) - y(most)
			}
		}
		if most = max(most, p.Lo); along >= next || i == len(l.XY)-1 && next <= signSize*vg.Length(len(signs)) {
			l.sign(c, vg.Point{X: x(p.X), Y: y(p.Lo)})
			next = along + c.Size().X/signsPerLine
		}
	}
}

// sign draws one sign.
func (l *Layer) sign(c *draw.Canvas, at vg.Point) {
	if l.Sign > 0 && c.Contains(at) {
		c.DrawGlyph(draw.GlyphStyle{Color: l.Colour, Radius: signSize, Shape: signs[(l.Sign-1)%len(signs)]}, at)
	}
}

// forms are how marks look. Those with an outline have a dark line and a white one around them, so that they are seen on bars.
var forms = [...]struct {
	glyph    draw.GlyphDrawer
	size     vg.Length
	outlined bool
}{
	Ring: {draw.RingGlyph{}, markSize, false}, Cross: {draw.CrossGlyph{}, markSize, false},
	Disc: {draw.CircleGlyph{}, 1.2, false}, Square: {draw.BoxGlyph{}, 2.5, false}, Spot: {draw.CircleGlyph{}, 0.9, true},
	Diamond: {diamond, markSize, true}, Circle: {draw.CircleGlyph{}, markSize, true}, Box: {polygon{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, markSize, true},
	Peak: {polygon{{-1.2, -0.9}, {1.2, -0.9}, {0, 1.3}}, markSize, true},
}

// mark draws one mark.
func (l *Layer) mark(c *draw.Canvas, at vg.Point) {
	f := forms[l.Mark]
	switch {
	case l.Pen > 0 && (f.outlined || l.Mark == Disc):
		f.size = vg.Length(l.Pen) / 2
	case !f.outlined && len(l.XY) > manyMarks:
		f.size *= smallMark
	}
	styles := []draw.GlyphStyle{{Color: l.Colour, Radius: f.size}}
	if f.outlined {
		styles = []draw.GlyphStyle{{Color: color.White, Radius: f.size + 1}, {Color: ink, Radius: f.size + 0.5}, {Color: l.Colour, Radius: f.size - 0.2}}
	}
	for _, s := range styles {
		s.Shape = f.glyph
		c.DrawGlyph(s, at)
	}
}
