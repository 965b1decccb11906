package plot

import (
	"image/color"

	"mpanalyze/internal/timeline"
)

// Figure is one or several panels above each other or in a grid.
type Figure struct {
	Title   string
	Columns int // panels side by side where the layout names none; 0 for 1
	Panels  []Panel
	Group   int // so many panels in a row belong together: pages are turned between such groups; 0 for 1

	Missing []string // metrics without a panel as there is nothing to draw, and why, a sentence each
}

// Panel is one pair of axes.
type Panel struct {
	Head   string   // above the axes: what sets the panel apart from the others; empty for nothing
	Group  bool     // the panel shows a part of the runs: it shares its vertical range with those of the same Y
	X, Y   string   // labels with units
	Names  []string // of the places 0, 1, 2 ... on the horizontal axis; nil where that is a number
	Layers []Layer

	Moments []Moment // events, in order of time
}

// Shape says how a layer is drawn.
type Shape uint8

// The shapes.
const (
	Line  Shape = iota // from point to point
	Steps              // the value holds until the next point
	Spans              // an upright bar from Lo to Hi, at least a dot high
	Dots               // a mark at each point
	Bars               // an area from Lo to Hi
	Areas              // the area between Lo and Hi from point to point
	Boxes              // quartiles, median and the whole range of the values at each X
)

// Layer is what is drawn in one colour.
type Layer struct {
	Name   string // what it shows; empty where another layer says so
	Keys   []Key  // its entries in the legend, where they are not one with its name
	Shape  Shape
	Colour color.NRGBA
	Dash   int      // 0 a full line, others tell scenarios apart
	Mark   Mark     // of Dots
	Width  float64  // of Bars and Boxes, of the last of Steps before a gap, and of an area of one point, in units of X
	Pen    float64  // width of Spans and of Dots that are discs, in points; 0 for the usual one
	Gap    float64  // of Line, Steps and Areas: it is interrupted where two points are further apart, in units of X; 0 for nowhere
	Labels []string // texts at the upper ends of XY; nil for none
	Inside []string // texts in the middle of Bars, where they have room; nil for none
	XY     []Coord  // in the units of the axes
}

// Key is an entry of the legend: a name, and what has the looks that it explains.
type Key struct {
	Name   string
	Rank   Rank
	Shape  Shape
	Colour color.NRGBA
	Dash   int
	Mark   Mark
	Letter string // of an event, in place of all these
}

// Rank orders the legend: each rank begins a row where there are many entries.
type Rank uint8

// The ranks.
const (
	ByColour Rank = iota // paths and totals
	ByDash               // scenarios
	ByMark               // what is drawn as dots
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
	Triangle
	Disc
	Square // large and filled
)

// seconds returns the points of a series in the units of the axes: seconds, and
// values divided by by.
func seconds(points []timeline.Point, by float64) []Coord {
	out := make([]Coord, len(points))
	for i, p := range points {
		out[i] = Coord{float64(p.T) / 1e9, p.Lo / by, p.Hi / by}
	}
	return out
}

// byteUnit returns the unit for an axis that reaches to most bytes, and how many
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
