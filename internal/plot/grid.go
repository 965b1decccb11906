package plot

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// gridColumns is the number of panels side by side in a grid of panels.
const gridColumns = 2

// gridFigure has a panel for each metric and path, with a curve for each scenario. A scenario
// has the same colour in all panels. If a metric exists for paths and for the whole connection,
// the figure shows it for the connection.
func gridFigure(m *maker, names []string) (*Figure, error) {
	if m.options.Cell <= 0 {
		return nil, fmt.Errorf("%w: a grid of panels compares runs in cells, and has no width of a cell", ErrEmpty)
	}
	title := "Over time"
	if n := len(m.runs); n > len(m.numbers) {
		title = fmt.Sprintf("Over time: mean and range of the runs of each scenario, %d in all", n)
	}
	cell := m.options.Cell
	if m.coarsen(names); m.coarse {
		title += fmt.Sprintf(", in cells of %s", time.Duration(m.options.Cell))
	}
	m.setRateCell(names, false)
	f, err := m.perMetric(title+m.rateNote()+m.smoothNote(), names, m.gridPanels)
	if err != nil {
		return nil, err
	}
	if m.coarse {
		f.Notes = append(f.Notes, fmt.Sprintf("a figure has no room for that many cells of %s: they are %s long, and show the mean of the values in them", time.Duration(cell), time.Duration(m.options.Cell)))
	}
	for _, of := range m.scenarios() {
		if first, last := of.lasts(); float64(first) < endsTogether*float64(last) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: its curves end at %.3g s, where the first of its runs ends; the last one ends at %.3g s", of.runs[0].Scenario, float64(first+cell)/1e9, float64(last+cell)/1e9))
		}
	}
	f.Columns = gridColumns
	return f, nil
}

// endsTogether is the part of the longest run that the shortest of a scenario has at least, where nothing is said of it.
const endsTogether = 0.9

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
	if len(m.runs) > 1 && r.From == 0 { // else the first data may lie before the part that is drawn
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
	for _, r := range m.runs {
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

// gridPanels returns the panels of a metric: one for the whole connection, or one for each
// path.
func (m *maker) gridPanels(name string) (out []Panel) {
	unit, by := m.unit(name)
	for _, path := range m.seriesPaths(name) {
		p := Panel{Head: path, Y: label(name, unit)}
		p.X, _ = m.clock(m.runs[0])
		if len(m.looks.order) > 1 && path != "" {
			p.Row, p.Column = name, path
		}
		var lines []Layer
		for _, of := range m.scenarios() {
			area, line := of.cellCurve(m, name, path, by)
			if area.Pale = len(m.numbers) > fewLines; len(area.XY) > 0 {
				p.Layers = append(p.Layers, area)
			}
			if len(line.XY) > 0 {
				lines = append(lines, line)
			}
		}
		p.Layers = append(p.Layers, lines...)
		if m.options.Points {
			p.Layers = append(p.Layers, m.dots(name, path, by)...)
		}
		out = append(out, p)
	}
	return out
}

// seriesPaths returns the paths for which a metric has series, or "" alone for the connection if
// it has one for it.
func (m *maker) seriesPaths(name string) (paths []string) {
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			if l.Subflow == report.NoSubflow {
				return []string{""}
			}
			paths = campaign.Once(paths, l.Path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		return slices.Index(m.looks.order, a) - slices.Index(m.looks.order, b)
	})
	return paths
}

// dots returns the samples of a metric on a path as points.
func (m *maker) dots(name, path string, by float64) (out []Layer) {
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			if shapeOf(name) == Line && l.Path == path && (path == "" || l.Subflow != report.NoSubflow) {
				layer := Layer{Shape: Dots, Mark: Disc, XY: seconds(l.Points(m.columns), by)}
				_, begins := m.clock(r)
				for i := range layer.XY {
					layer.XY[i].X -= float64(begins) / 1e9
				}
				layer.Colour = tint(m.looks.scenario(r.Scenario).colour)
				out = append(out, layer)
			}
		}
	}
	return out
}

// cells returns the value of a series in each cell: the mean of its samples. For a quantity that
// keeps its value, it is the value at the end of the cell, except during silence.
func (m *maker) cells(r *Run, l *timeline.Series, by float64) map[int64]float64 {
	cell, begins := m.cellOf(l.Name), r.gridBegins()
	out := map[int64]float64{}
	at := func(t int64) int64 { return int64(math.Floor(float64(t-begins)/float64(cell) + 1e-6)) }
	if points, ok := m.wider(r, l); ok {
		for _, p := range points {
			out[at(p.T)] = p.Lo / by
		}
		return out
	}
	switch {
	case holds(l.Name):
		xy, gap := r.whileActive(l, seconds(l.Points(m.columns), by))
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
		for _, p := range l.Means(cell, begins) {
			out[at(p.T)] = p.Lo / by
		}
	default:
		for _, p := range l.Points(m.columns) {
			out[at(p.T)] = p.Lo / by
		}
	}
	return out
}
