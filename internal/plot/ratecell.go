package plot

import (
	"fmt"
	"slices"

	"mpanalyze/internal/stats"
	"mpanalyze/internal/timeline"
)

// isRate reports whether a metric counts the data of a cell.
func isRate(name string) bool { return name == "throughput" || name == "goodput" }

const (
	// perCell is how many packets a cell of a rate should hold. A source that sends every 40 ms
	// sends twice or three times in 100 ms: its curve would be a band between two values.
	perCell = 5
	// fewestCells is how many cells a curve keeps, however slow the source is.
	fewestCells = 40
)

// setRateCell chooses the cells of rates: the shortest of 1, 2, 5, 10 ... times the interval that
// hold perCell packets of each scenario. paths says that rates of single paths are drawn, too.
func (m *maker) setRateCell(names []string, paths bool) {
	if !m.options.AutoCell || m.options.Cell <= 0 || !slices.ContainsFunc(names, isRate) {
		return
	}
	need, span := 0.0, 0.0
	for _, of := range m.scenarios() {
		var gaps []float64
		for _, r := range of.runs {
			gaps = append(gaps, r.gap(paths))
			span = max(span, r.connection().DurationS*1e9)
		}
		slices.Sort(gaps)
		need = max(need, perCell*stats.Quantile(gaps, 0.5))
	}
	for factor, k := int64(1), 0; ; k++ {
		m.rateCell = m.options.Cell * factor
		factor = factor / []int64{1, 2, 5}[k%3] * []int64{2, 5, 10}[k%3]
		if float64(m.rateCell) >= need || float64(m.options.Cell*factor)*fewestCells > span {
			return
		}
	}
}

// gap returns the time between packets of a run: the shortest of its paths, or the longest if
// each path is drawn.
func (r *Run) gap(longest bool) (out float64) {
	for i := range r.connection().Subflows {
		g := r.Store.Gap(r.Connection, r.Direction, r.connection().Subflows[i].ID)
		if g > 0 && (out == 0 || longest == (g > out)) {
			out = g
		}
	}
	return out
}

// cellOf returns the width of the cells of a metric, ns.
func (m *maker) cellOf(name string) int64 {
	if isRate(name) {
		return max(m.options.Cell, m.rateCell)
	}
	return m.options.Cell
}

// cellNotes says how wide cells are, if the figure chose it, and how their values are smoothed.
func (m *maker) cellNotes() (out []string) {
	if m.coarse {
		out = append(out, "in cells of "+duration(m.options.Cell))
	}
	if m.rateCell > m.options.Cell {
		out = append(out, "rates in cells of "+duration(m.rateCell))
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

// wider returns the means of a rate in its cells, and whether these are wider than those of the
// series. It leaves out a last cell that is covered for less than half.
func (m *maker) wider(r *Run, l *timeline.Series) (out []timeline.Point, ok bool) {
	cell := m.cellOf(l.Name)
	if cell <= m.options.Cell {
		return nil, false
	}
	out = l.Means(cell, r.gridBegins())
	all := l.Points(m.columns)
	if n := len(out); n > 0 && 2*(all[len(all)-1].T+m.options.Cell-out[n-1].T) < cell {
		out = out[:n-1]
	}
	return out, len(out) > 0
}
