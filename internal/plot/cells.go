package plot

import (
	"fmt"
	"math"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// gridBegins returns the time when the first cell of the direction begins, in ns since the
// connection's start. It is 0 if that is not known.
func (r *Run) gridBegins() int64 {
	first, _ := r.cellTimes()
	return first
}

// cellTimes returns when the first and the last cell of the direction begin, in ns since the connection's start; 0 and 0 if that is not
// known.
func (r *Run) cellTimes() (first, last int64) {
	for _, l := range r.series(ofCells) {
		if l.Subflow == report.NoSubflow {
			if p := l.Points(printColumns); len(p) > 0 {
				return p[0].T, p[len(p)-1].T
			}
		}
	}
	return 0, 0
}

// lasts returns how long after the first data the data of the first run to end lasts, and of the last one, ns.
func (m *maker) lasts() (first, last int64) {
	first = math.MaxInt64
	for _, r := range m.runs {
		begins, ends := r.cellTimes()
		if ends == 0 { // not known
			continue
		}
		first, last = min(first, ends-begins), max(last, ends-begins)
	}
	return first, last
}

// clock returns the name of the time axis of curves of cells, and where it begins in the time of a run, ns: with the first data if there
// are several runs.
func (m *maker) clock(r *Run) (label string, begins int64) {
	if len(m.all) > 1 && r.From == 0 { // else the first data may lie before the part that is drawn
		return dataLabel, r.gridBegins()
	}
	return timeLabel, 0
}

// cellsPerColumn bounds the cells of a curve, by columns of pixels.
const cellsPerColumn = 4

// coarsen doubles the length of the cells until the curves of these metrics have few enough
// of them, however long the runs are.
func (m *maker) coarsen(names []string) {
	span := 0.0
	for _, r := range m.all {
		begins := r.gridBegins()
		for _, name := range names {
			for _, l := range r.series(name) {
				if p := l.Points(m.columns); len(p) > 0 {
					span = max(span, float64(max(p[len(p)-1].T, begins))-float64(min(p[0].T, begins)))
				}
			}
		}
	}
	for m.options.Cell < math.MaxInt64/4 && span/float64(m.options.Cell) > float64(cellsPerColumn*m.columns) {
		m.options.Cell, m.coarse = 2*m.options.Cell, true
	}
}

// cells returns the value of a series in each cell: the mean of its samples. For a quantity that
// keeps its value, it is the value at the end of the cell, except during silence.
func (m *maker) cells(r *Run, l *timeline.Series) map[int64]float64 {
	cell, begins := m.options.Cell, r.gridBegins()
	out := map[int64]float64{}
	at := func(t int64) int64 { return int64(math.Floor(float64(t-begins)/float64(cell) + 1e-6)) }
	switch {
	case holds(l.Name):
		xy, gap := r.whileActive(l, seconds(l.Points(m.columns)))
		for i, p := range xy {
			from, to := at(int64(p.X*1e9)), int64(0)
			if to = from + 1; i+1 < len(xy) && xy[i+1].X-p.X <= gap {
				to = at(int64(xy[i+1].X * 1e9))
			}
			for k := from; k < max(to, from+1); k++ {
				out[k] = p.Lo
			}
		}
	case shapeOf(l.Name) == Line || m.coarse:
		for _, c := range r.corrected(l, seconds(l.Means(cell, begins))) {
			out[at(int64(c.X*1e9)+cell/2)] = c.Lo // the clock of the other capture has other cells
		}
	default:
		for _, p := range l.Points(m.columns) {
			out[at(p.T)] = p.Lo
		}
	}
	return out
}

// cellNotes says how long cells are, if the figure chose it, and how their values are smoothed.
func (m *maker) cellNotes() (out []string) {
	if m.coarse {
		out = append(out, "in cells of "+duration(m.options.Cell))
	}
	if m.options.Smooth > 0 {
		out = append(out, "each run smoothed by the median of "+duration(m.options.Smooth))
	}
	return out
}

// duration writes a time, ns, as "200 ms" or "2 s".
func duration(ns int64) string {
	if ns < 1e9 {
		return fmt.Sprintf("%g ms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%g s", float64(ns)/1e9)
}
