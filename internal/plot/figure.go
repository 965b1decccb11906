package plot

import (
	"image/color"

	"mpanalyze/internal/timeline"
)

// Figure is one or several panels above each other.
type Figure struct {
	Title  string
	Panels []Panel
}

// Panel is one pair of axes.
type Panel struct {
	Head   string   // before the legend: the scenario that the panel shows; empty where it shows all
	X, Y   string   // labels with units
	Names  []string // of the places 0, 1, 2 ... on the horizontal axis; nil where that is a number
	Layers []Layer
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
	Name   string // in the legend; empty for none
	Shape  Shape
	Colour color.NRGBA
	Dash   int     // 0 a full line, others tell scenarios apart
	Mark   Mark    // of Dots
	Width  float64 // of Bars and Boxes, and of an area of one point, in units of X
	Gap    float64 // of Line and Areas: it is interrupted where two points are further apart, in units of X; 0 for nowhere
	XY     []Coord // in the units of the axes
}

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
