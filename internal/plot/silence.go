package plot

import "math"

// gapOf returns the distance between two samples at which their line is interrupted: a
// twentieth of the whole time or ten times the mean distance of two samples, whichever is
// greater. A line across an outage of a path would show values that were not measured.
func gapOf(xy []Coord) float64 {
	n := len(xy)
	if n < 2 {
		return 0
	}
	return (xy[n-1].X - xy[0].X) * max(1./20, 10/float64(n-1))
}

// interrupt interrupts the layer of a metric where nothing was measured: between samples that are far apart, and at missing cells. A
// value that holds is valid until the next one.
func (m *maker) interrupt(metric string, l *Layer) {
	switch cell := cellOf(l.XY); {
	case l.Shape != Line && l.Shape != Steps, holds(metric):
	case l.Shape == Steps && cell > 0:
		span := l.XY[len(l.XY)-1].X - l.XY[0].X
		l.Width, l.Gap = cell, 1.5*max(cell, span/float64(m.columns)) // thinning keeps a few values in each column
	default:
		l.Gap = gapOf(l.XY)
	}
}

// cellOf returns the width of the cells of a grid if all points are at beginnings of cells,
// else 0.
func cellOf(xy []Coord) float64 {
	least := math.Inf(1)
	for i := 1; i < len(xy); i++ {
		if d := xy[i].X - xy[i-1].X; d > 0 {
			least = min(least, d)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	for i := 1; i < len(xy); i++ {
		part := (xy[i].X - xy[i-1].X) / least
		if math.Abs(part-math.Round(part)) > 0.01 {
			return 0
		}
	}
	return least
}
