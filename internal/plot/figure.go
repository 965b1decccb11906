package plot

import (
	"image/color"
	"iter"
	"slices"
	"strings"

	"mpanalyze/internal/timeline"
)

// Figure is one or several panels above each other or in a grid.
type Figure struct {
	Title   string
	Caption string // what else a caption says of all panels, as what the curves are and how long cells are; may be empty ([Figure.explain])
	about   string // in place of the title in the caption of LaTeX, where that says more; may be empty
	Columns int    // panels side by side, if the layout does not say it; 0 for 1
	Panels  []Panel
	Font    float64 // size of the font in points, if the layout does not say it; 0 for the usual one
	High    float64 // height of the panels in cm, if the layout does not say it; 0 for the usual height
	Tall    float64 // how many times as high as usual the panels are; 0 for once
	LogY    bool    // vertical axes of numbers are logarithmic, whatever the layout says

	Missing []string // metrics for which there is nothing to draw, with the reason: one sentence for each
	Notes   []string // what else to know of the figure: one sentence for each
}

// explain adds texts to the caption. They stand in the title if that has room, else below the legend, and in the caption of LaTeX.
func (f *Figure) explain(texts ...string) {
	all := append([]string{f.Caption}, texts...)
	f.Caption = strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
}

// Panel is one pair of axes.
type Panel struct {
	Head   string // text above the axes that tells the panel from the others; may be empty
	Row    string // with Column: the name of the row of panels in which the panel stands; empty if it stands behind the panel before
	Column string
	Strip  string   // name of the row that tells it from others, beside the label of its first vertical axis; may be empty
	X, Y   string   // labels with units
	Names  []string // names of the places 0, 1, 2 ... on the horizontal axis; nil if the axis has numbers
	Rows   []Row    // rows of the panel, from top to bottom, in place of numbers on the vertical axis; nil for none
	Places []string // names of the places 0, 1, 2 ... on the vertical axis, from the bottom; nil if it has no such names
	Fit    bool     // the axes end where the data ends
	Right  *Side    // a second vertical axis; nil for none
	From   float64  // where the horizontal axis begins if all data lies behind it; 0 for at 0 if that is near
	Layers []Layer

	Moments []Moment // events, in order of time

	metric string // tells the panel from others of its path and scenario; empty for Y
	bytes  bool   // values are bytes until their unit is chosen, and Y has none
}

// Shape says how a layer is drawn.
type Shape uint8

// The shapes.
const (
	Line      Shape = iota // from point to point
	Steps                  // the value holds until the next point
	Spans                  // an upright bar from Lo to Hi, at least a dot high
	Dots                   // a mark at each point
	Bars                   // an area from Lo to Hi
	Areas                  // the area between Lo and Hi from point to point
	Intervals              // an error bar from Lo to Hi
	Texts                  // nothing but Labels
	Tiles                  // an area from Lo to Hi, with Labels inside
	Bands                  // an area from Lo to Hi between each two points: from the first to the second, from the third to the fourth
)

// Layer is a part of a panel that is drawn in one colour.
type Layer struct {
	Name   string // its name in the legend; empty if another layer has the entry
	Keys   []Key  // its entries in the legend, if they are not one entry with Name
	Shape  Shape
	Colour color.NRGBA
	Dash   int      // pattern of the line, which differs between scenarios; 0 for a full line
	Sign   int      // number of the form that stands on Line and Steps; 0 for none
	Mark   Mark     // for Dots
	Width  float64  // width of Bars, of the last of Steps before a gap, and of an area of one point, in units of X
	Pen    float64  // width of Spans and of Dots that are discs or marks of paths, in points; 0 for the usual width
	Right  bool     // the values belong to the second axis
	Pale   bool     // of Areas, only the edges are drawn, because there are many: areas above each other have one grey in print
	Held   bool     // Areas: Lo and Hi hold over the Width around each point, as the curves of cells do
	Gap    float64  // Line, Steps and Areas are interrupted between two points with a greater distance, in units of X; 0 for never
	Labels []string // texts at the upper ends of XY; nil for none
	XY     []Coord  // in the units of the axes

	value float64 // of a tile of a heat map: its colour and its label say it

	Shift, Scale float64 // where a value is drawn in a panel of rows: at Shift + Scale * value; Scale 0 for at the value
}

// Key is an entry of the legend: a name, and how the layers look for which it stands.
type Key struct {
	Name   string
	Rank   Rank
	Shape  Shape
	Colour color.NRGBA
	Dash   int
	Sign   int
	Mark   Mark
	Letter string // for an event: its letter, in place of shape, colour, dash and mark
}

// Rank orders the legend. If there are many entries, each rank begins a new row.
type Rank uint8

// The ranks.
const (
	ByColour Rank = iota // paths and totals
	ByDash               // scenarios
	ByMark               // layers that are drawn as dots
	ByEvent              // letters
)

// Coord is a place in a panel.
type Coord struct{ X, Lo, Hi float64 }

// Mark is the form of a dot.
type Mark uint8

// The marks.
const (
	Ring Mark = iota
	Cross
	Disc
	Square // large and filled
	Spot   // a small disc that is seen on bars
	Diamond
	Circle
	Box
	Peak
)

// pathMarks are the marks of the first path, the second and so on. They have an outline, so that
// they are seen on bars of their colour.
var pathMarks = [...]Mark{Diamond, Circle, Box, Peak}

// seconds returns the points of a series, with their times in seconds.
func seconds(points []timeline.Point) []Coord {
	out := make([]Coord, len(points))
	for i, p := range points {
		out[i] = Coord{float64(p.T) / 1e9, p.Lo, p.Hi}
	}
	return out
}

// layers yields each layer with its panel.
func (f *Figure) layers() iter.Seq2[*Panel, *Layer] {
	return func(yield func(*Panel, *Layer) bool) {
		for i := range f.Panels {
			for k := range f.Panels[i].Layers {
				if !yield(&f.Panels[i], &f.Panels[i].Layers[k]) {
					return
				}
			}
		}
	}
}

// chooseUnits chooses the unit of panels whose values are bytes, by the largest value: the same for all panels with the same
// label.
func (f *Figure) chooseUnits() {
	most := map[string]float64{}
	for p, l := range f.layers() {
		for _, c := range l.XY {
			if !l.Right {
				most[p.Y] = max(most[p.Y], c.Hi, -c.Lo)
			}
		}
	}
	for p, l := range f.layers() {
		_, by := byteUnit(most[p.Y])
		for j := range l.XY {
			if c := &l.XY[j]; p.bytes && !l.Right {
				if c.Lo, c.Hi = c.Lo/by, c.Hi/by; l.Shape == Texts {
					l.Labels[j] = threeDigits(c.Lo)
				}
			}
		}
	}
	for i := range f.Panels {
		if p := &f.Panels[i]; p.bytes {
			unit, _ := byteUnit(most[p.Y])
			p.Y += " (" + unit + ")"
		}
	}
}

// byteUnit returns the unit for an axis whose largest value is most, in bytes, and how many
// bytes the unit has.
func byteUnit(most float64) (unit string, by float64) {
	switch {
	case most >= 2e9:
		return "GB", 1e9
	case most >= 2e6:
		return "MB", 1e6
	case most >= 2e3:
		return "kB", 1e3
	}
	return "bytes", 1
}
