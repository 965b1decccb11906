package plot

import (
	"math"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// gapOf returns how far apart two samples must be for their line to be
// interrupted: a twentieth of the whole time, and ten times the mean distance of
// two samples. A line across an outage of a path would show values that were
// not measured.
func gapOf(xy []Coord) float64 {
	n := len(xy)
	if n < 2 {
		return 0
	}
	return (xy[n-1].X - xy[0].X) * max(1./20, 10/float64(n-1))
}

// leastSilence is the shortest gap that counts as silence where a value holds, seconds:
// in a short session senders pause for a round trip.
const leastSilence = 0.2

// interrupt makes a layer of a series end where nothing was measured: samples
// where they are far apart, cells where some are missing, and values that hold
// where neither they change nor data passes.
func (m *maker) interrupt(r *Run, s *timeline.Series, l *Layer) {
	switch cell := cellOf(l.XY); {
	case l.Shape != Line && l.Shape != Steps:
	case holds(s.Name):
		if l.Gap = gapOf(l.XY); len(l.XY) > 1 {
			l.XY, l.Gap = r.whileActive(s, l.XY)
		}
	case l.Shape == Steps && cell > 0:
		span := l.XY[len(l.XY)-1].X - l.XY[0].X
		l.Width, l.Gap = cell, 1.5*max(cell, span/float64(m.columns)) // thinning leaves a few values in each column
	default:
		l.Gap = gapOf(l.XY)
	}
}

// cellOf returns the width of the cells of a grid if the points stand at their
// beginnings, else 0.
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

// whileActive adds to a value that holds the points at which data passed, so that
// what is further apart than gap is silence. Without rows of chunks it is the
// value alone, without interruption.
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

// active returns the times at which data of the series' subflow passed, or of any
// subflow for a series of the connection.
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
