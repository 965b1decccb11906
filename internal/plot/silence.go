package plot

import (
	"math"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

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

// leastSilence is the shortest gap that counts as silence for a value that holds, in seconds. In
// a short session, senders pause for a round trip, which is no silence.
const leastSilence = 0.2

// interrupt interrupts the layer of a series where nothing was measured: between samples that
// are far apart, at missing cells, and, for values that hold, where neither the value changes
// nor data passes.
func (m *maker) interrupt(r *Run, s *timeline.Series, l *Layer) {
	switch cell := cellOf(l.XY); {
	case l.Shape != Line && l.Shape != Steps:
	case holds(s.Name):
		if l.Gap = gapOf(l.XY); len(l.XY) > 1 {
			l.XY, l.Gap = r.whileActive(s, l.XY)
		}
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

// whileActive adds points at times when data passed to a value that holds. Then points that are
// further apart than gap have silence between them. Without rows of chunks it returns the value
// alone, without interruption.
func (r *Run) whileActive(s *timeline.Series, xy []Coord) (out []Coord, gap float64) {
	active := r.active(s)
	if len(active) < 2 {
		return xy, 0
	}
	for _, p := range xy {
		active = append(active, p.X)
	}
	slices.Sort(active)
	n := len(active)
	gap = max(leastSilence, (active[n-1]-active[0])*max(1./20, 10/float64(n-1)))
	next := 0
	for i, p := range xy {
		out = append(out, p)
		if i == len(xy)-1 || xy[i+1].X-p.X <= gap {
			continue
		}
		for ; next < n && active[next] <= p.X; next++ {
		}
		for last := p.X; next < n && active[next] < xy[i+1].X; next++ {
			t := active[next]
			if t-last >= gap/2 || active[next+1]-t > gap {
				out = append(out, Coord{t, p.Lo, p.Hi})
				last = t
			}
		}
	}
	return out, gap
}

// active returns the times at which data of the series' subflow passed. For a series of the
// connection it takes the data of all subflows.
func (r *Run) active(s *timeline.Series) (out []float64) {
	for _, what := range []string{timeline.DSNFirst, timeline.DSNRetransmission, timeline.DSNReinjection} {
		for _, l := range r.series(what) {
			if s.Subflow == report.NoSubflow || s.Subflow == l.Subflow {
				for _, p := range l.Points(printColumns) {
					out = append(out, float64(p.T)/1e9)
				}
			}
		}
	}
	return out
}
