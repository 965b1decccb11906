package plot

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Size is the size of a figure in centimetres. Height is the height of each panel with its
// axes; title and legend are added to it. A height of 0 fits the width of the panels.
type Size struct{ Width, Height float64 }

// DefaultSize has the width of the text on a page with margins.
var DefaultSize = Size{16, 8}

// Layout says how a figure is laid out. If a field other than Size is zero, the figure decides.
type Layout struct {
	Size
	FontSize float64 // of the numbers on the axes, in points
	Columns  int     // panels side by side
	Legend   Place
	Title    *string // in place of the figure's own; empty for none
	Tallest  float64 // height of a whole figure in cm that panels should not exceed if Height is 0; 0 for none
	X, Y     Scale   // of axes of numbers
	DPI      int     // resolution of a PNG, dots per inch; 0 for [DPI]
	Scale    float64 // by which all is enlarged, texts and lines too; 0 for 1

	paged bool    // the figure may have several pages
	most  int     // panels side by side at most, so that they fit; 0 for any number
	extra float64 // cm by which panels are higher than the figure would choose, so that their texts fit
}

// Uses lists the names of [LayoutFor].
func Uses() []string { return []string{"column", "page", "slide"} }

// LayoutFor returns the layout for a use: a column of a journal with two, the width of its page,
// or a slide of 25.4 x 14.3 cm.
func LayoutFor(use string) (Layout, error) {
	switch use {
	case "column":
		return Layout{Size: Size{Width: 8.8}, FontSize: 7, Tallest: tallestPage}, nil
	case "page":
		return Layout{Size: Size{Width: 17.8}, FontSize: 8, Tallest: tallestPage}, nil
	case "slide":
		return Layout{Size: Size{Width: 12.7}, FontSize: 8, Tallest: 6.9, Scale: 2}, nil
	}
	return Layout{}, fmt.Errorf("no layout %q; want one of %s", use, strings.Join(Uses(), ", "))
}

// pageHeight is the height of the text on a page of A4 with small margins, in centimetres.
const pageHeight = 26

// page is the height of a page; 0 for any.
func (o *Layout) page() vg.Length {
	if !o.paged {
		return 0
	}
	return pageHeight * vg.Centimeter
}

// Place is where the legend stands.
type Place string

// The places.
const (
	LegendBelow Place = "below" // the panels; the same as ""
	LegendRight Place = "right" // of the panels
	NoLegend    Place = "none"
)

// Places lists the places of legends.
func Places() []string { return []string{string(LegendBelow), string(LegendRight), string(NoLegend)} }

// ErrSize says that a figure does not fit into its size.
var ErrSize = errors.New("the figure does not fit")

const (
	// A figure narrower than columnWidth has the small font. columnWidth is in cm.
	fontSize, smallFont = 9, 7
	columnWidth         = 12

	// The least width and height between the axes of a panel, in sizes of the font.
	leastAcross, leastUp = 9, 5
	nameAcross           = 1.2 // the least width for a name under the axis, which may be upright
	leastFont            = 5   // points, of names under the axis
)

// em returns the size of the font.
func (o *Layout) em() vg.Length {
	switch {
	case o.FontSize > 0:
		return vg.Length(o.FontSize)
	case o.Width < columnWidth:
		return smallFont
	}
	return fontSize
}

const (
	leastHeight, mostHeight = 3.2, 7 // of a panel that fits its width, cm
	lowestHeight            = 2.2    // of a panel in a figure with a bound
	titleAndLegend          = 2      // cm
	titleAlone              = 0.9    // cm
	tallestPage             = 23     // of a figure on a page of a journal, cm
)

// height returns the height of the panels of a figure in cm, for this many side by side and above each other.
func (f *Figure) height(o *Layout, columns, rows int) float64 {
	tallest, part := o.Tallest, 0.75
	switch {
	case o.Height > 0:
		return o.Height
	case f.High > 0 && tallest > 0:
		return min(f.High, tallest-titleAlone) + o.extra
	case f.High > 0:
		return f.High + o.extra
	}
	if columns == 1 && rows > 1 { // panels that stand above each other in a narrow figure
		part = 0.55
	}
	h := min(max(part*o.Width/float64(columns), leastHeight), mostHeight)
	if tallest > 0 {
		h = min(h, max(lowestHeight, (tallest-titleAndLegend)/float64(rows)))
	}
	return h + o.extra
}

func (o *Layout) row() vg.Length    { return 1.45 * o.em() }
func (o *Layout) swatch() vg.Length { return swatchEm * o.em() }

// style returns the style of a text; rank is 0 for numbers and the legend, 1 for the labels
// of axes and panels, 2 for the title.
func (o *Layout) style(rank int, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.From(sans, o.em()*(1+vg.Length(rank)/14)), XAlign: x, YAlign: y, Handler: text.Plain{Fonts: faces()}}
}

// titles returns the style of a title: smaller, where it then fits into one line of this width.
func (o *Layout) titles(title string, width vg.Length) text.Style {
	s := o.style(2, text.XCenter, text.YTop)
	if wide := s.Width(title); wide > width && leastTitle*wide <= width {
		s.Font.Size *= width / wide
	}
	return s
}

// leastTitle is the least size of a title that is made smaller, as a part of the usual size.
const leastTitle = 0.75

// fit arranges the figure. What the layout leaves open, the figure chooses so that it fits. If the
// size is too small, it returns an error that says how much is missing.
func (f *Figure) fit(o *Layout) (*sheet, error) {
	auto := *o
	if auto.FontSize == 0 {
		auto.FontSize = f.Font
	}
	for _, p := range f.Panels {
		part := max(axisCut, 0.7/float64(f.columns(&auto)*max(1, len(p.Names)))) // few names stand side by side
		for i, name := range p.Names {
			p.Names[i] = cut(name, auto.style(0, text.XLeft, text.YTop), vg.Length(part*auto.Width)*vg.Centimeter)
		}
	}
	s := f.arrange(&auto)
	for range 20 {
		switch n := f.columns(&auto); {
		case s.lackX <= 0 && s.lackY <= 0:
			return s, nil
		case s.lackX > 0 && o.Columns == 0 && n > 1:
			auto.most = n - 1
		case s.lackX <= 0 && o.Height == 0:
			auto.extra += float64(s.lackY/vg.Centimeter) + 0.05
		default:
			return nil, s.tooSmall(n)
		}
		s = f.arrange(&auto)
	}
	return nil, s.tooSmall(f.columns(&auto))
}

// tooSmall returns the error for a size that is too small.
func (s *sheet) tooSmall(columns int) error {
	lack := func(of vg.Length) float64 { return math.Ceil(max(0, float64(of/vg.Centimeter))*10) / 10 }
	return fmt.Errorf("%w: with text of %v points and %d columns, %.1f cm more of width and %.1f cm more of height for each panel are needed; or choose a smaller font, or fewer columns",
		ErrSize, float64(s.layout.em()), columns, lack(s.lackX), lack(s.lackY))
}

// leastAcross returns the least width between the axes of a panel, in sizes of the font.
func (p *Panel) leastAcross() vg.Length {
	if p.Places != nil {
		return leastUp
	}
	return leastAcross
}

// nameFont returns the size of n names along an axis of this length. Many names are small, but never smaller than leastFont.
func nameFont(em, length vg.Length, n int) vg.Length {
	return min(em, max(leastFont, length/vg.Length(n)/nameAcross))
}
