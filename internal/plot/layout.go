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
// axes; title and legend are added to it.
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

	paged bool // the figure may have several pages
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

func (o *Layout) row() vg.Length    { return 1.45 * o.em() }
func (o *Layout) swatch() vg.Length { return swatchEm * o.em() }

// style returns the style of a text; rank is 0 for numbers and the legend, 1 for the labels
// of axes and panels, 2 for the title.
func (o *Layout) style(rank int, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.From(sans, o.em()*(1+vg.Length(rank)/9)), XAlign: x, YAlign: y, Handler: text.Plain{Fonts: faces()}}
}

// columns returns how many panels stand side by side.
func (f *Figure) columns(o *Layout) int {
	n := o.Columns
	if n == 0 {
		n = f.Columns
	}
	return max(1, min(n, len(f.Panels)))
}

// wrap breaks a text at its spaces into lines of this width. It shortens longer words.
func wrap(words string, s text.Style, width vg.Length) string {
	lines := strings.Fields(words)
	for i := 0; i+1 < len(lines); {
		if both := lines[i] + " " + lines[i+1]; s.Width(both) <= width {
			lines[i] = both
			lines = append(lines[:i+1], lines[i+2:]...)
			continue
		}
		i++
	}
	for i := range lines {
		lines[i] = cut(lines[i], s, width)
	}
	return strings.Join(lines, "\n")
}

// halves breaks a text into two lines if it is wider than width. It chooses the space that makes
// the longer line as short as possible.
func halves(words string, s text.Style, width vg.Length) string {
	if s.Width(words) <= width {
		return words
	}
	best, least := words, s.Width(words)
	for i, r := range words {
		if r != ' ' {
			continue
		}
		if w := max(s.Width(words[:i]), s.Width(words[i+1:])); w < least {
			best, least = words[:i]+"\n"+words[i+1:], w
		}
	}
	return best
}

// widest returns the width of the longest line.
func widest(lines string, s text.Style) (w vg.Length) {
	for l := range strings.SplitSeq(lines, "\n") {
		w = max(w, s.Width(l))
	}
	return w
}

// fit arranges the figure. If the size is too small, it returns an error that says the least
// size that works.
func (f *Figure) fit(o *Layout) (*sheet, error) {
	s := f.arrange(o)
	if s.lackX <= 0 && s.lackY <= 0 {
		return s, nil
	}
	least := *o
	if least.FontSize == 0 {
		least.FontSize = float64(o.em()) // a wider figure keeps its font
	}
	works := func() bool {
		s = f.arrange(&least)
		return s.lackX <= 0 && s.lackY <= 0
	}
	for range 20 {
		if works() {
			break
		}
		least.Width, least.Height = grown(least.Width, s.lackX), grown(least.Height, s.lackY)
	}
	for _, v := range []*float64{&least.Width, &least.Height} { // lackX and lackY are estimates if a figure is far too small
		for *v > 0.2 && works() {
			*v = math.Round(*v*10-1) / 10
		}
		*v = math.Round(*v*10+1) / 10
	}
	return nil, fmt.Errorf("%w into a width of %g cm and a height of %g cm for each panel: the least that works is %.1f x %.1f cm with text of %g points and %d columns",
		ErrSize, o.Width, o.Height, least.Width, least.Height, least.FontSize, f.columns(o))
}

// grown adds a length to centimetres and rounds up to millimetres.
func grown(cm float64, by vg.Length) float64 {
	if by <= 0 {
		return cm
	}
	return math.Ceil((cm+float64(by/vg.Centimeter))*10-1e-6) / 10
}
