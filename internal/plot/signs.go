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

// forms are how marks look. Those with an outline have a dark line and a white one around them, so that they are seen on bars.
var forms = [...]struct {
	glyph    draw.GlyphDrawer
	size     vg.Length
	outlined bool
}{
	Ring: {draw.RingGlyph{}, markSize, false}, Cross: {draw.CrossGlyph{}, markSize, false}, Triangle: {draw.PyramidGlyph{}, markSize, false},
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
