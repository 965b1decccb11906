package plot

import (
	"fmt"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

const (
	// manyRuns is the largest number of runs that are drawn as separate lines. The lines of
	// more runs would hide each other. For more runs, the figure has their median and an area
	// with the middle half of them.
	manyRuns = 8
	// fewLines is the largest number of medians in one panel. If there are more, each scenario
	// has a separate panel.
	fewLines = 4
	// cells is the number of times at which the runs are compared.
	cells = 150
)

// pathCurves holds the curves of one path, or of the total, in the runs of a scenario.
type pathCurves struct {
	layer  Layer   // of the median
	run    *Run    // the first of the runs
	curves []Layer // none empty
}

// medianPanels draws a metric of many runs.
func (m *maker) medianPanels(name string) (out []Panel) {
	unit, by := m.unit(name)
	all, makers := m.pathCurves(name, by), []*maker{m}
	if len(all) > fewLines {
		makers = m.scenarios()
	}
	last := 0.0
	for i := range all {
		for _, c := range all[i].curves {
			last = max(last, c.XY[len(c.XY)-1].X+c.Width)
		}
	}
	for _, of := range makers {
		p := Panel{X: timeLabel, Y: label(name, unit)}
		if of.head != "" {
			p.Group = true
			p.Head = fmt.Sprintf("%s, %d runs", of.head, len(of.runs))
		}
		var lines []Layer
		list := of.pathCurves(name, by)
		for _, b := range list {
			if len(list) == 1 && !of.several {
				b.layer.Name = ""
			}
			area, line := b.quartiles(last / cells)
			p.Layers, lines = append(p.Layers, area), append(lines, line)
		}
		if p.Layers = append(p.Layers, lines...); len(lines) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// pathCurves collects the curves of a metric: first those of paths, then those of totals.
func (m *maker) pathCurves(name string, by float64) []*pathCurves {
	at := map[string]*pathCurves{}
	var paths, totals []*pathCurves
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			layer := m.curve(r, l, by)
			if len(layer.XY) == 0 {
				continue
			}
			b := at[layer.Name]
			if b == nil {
				b = &pathCurves{layer: layer, run: r}
				at[layer.Name] = b
				if l.Subflow == report.NoSubflow {
					totals = append(totals, b)
				} else {
					paths = append(paths, b)
				}
			}
			b.curves = append(b.curves, layer)
		}
	}
	for _, b := range totals {
		if len(paths) > 0 {
			m.asTotal(&b.layer, b.run)
		}
	}
	return append(paths, totals...)
}

// quartiles returns the middle half of the curves at each time as an area, and their median as
// a line. It leaves out times at which fewer than half as many curves have a value as at the
// best time, because the median would then be of too different a set of runs.
func (b *pathCurves) quartiles(width float64) (area, line Layer) {
	area, line = b.layer, b.layer
	area.Shape, area.Name, area.Keys, area.Width, area.Gap = Areas, "", nil, width, 1.5*width
	area.XY, line.XY = nil, nil
	line.Shape, line.Width, line.Gap = Line, 0, 1.5*width
	values := make([][]float64, cells)
	most := 0
	for i := range b.curves {
		b.curves[i].sample(width, values)
	}
	for _, v := range values {
		most = max(most, len(v))
	}
	for i, v := range values {
		if len(v) == 0 || 2*len(v) < most {
			continue
		}
		slices.Sort(v)
		x, mid := (float64(i)+0.5)*width, stats.Quantile(v, 0.5)
		area.XY = append(area.XY, Coord{x, stats.Quantile(v, 0.25), stats.Quantile(v, 0.75)})
		line.XY = append(line.XY, Coord{x, mid, mid})
	}
	return area, line
}

// sample appends the curve's value in each cell of this width to values: the median of the
// points in the cell. If a cell has no points, the value is the point before, if a value holds
// until the next, or else a value on the line between the points before and behind. Where the
// curve is interrupted, there is no value, except in the cell of a grid for which the last
// value stands.
func (l *Layer) sample(width float64, values [][]float64) {
	next := 0 // the first point behind the cell
	var in []float64
	for i := range values {
		in = in[:0]
		for end := float64(i+1) * width; next < len(l.XY) && (l.XY[next].X < end || i == cells-1); next++ {
			in = append(in, l.XY[next].Lo)
		}
		mid := (float64(i) + 0.5) * width
		switch {
		case len(in) > 0:
			slices.Sort(in)
			values[i] = append(values[i], stats.Quantile(in, 0.5))
		case next == 0:
		case l.Shape == Steps && l.Width > 0 && mid < l.XY[next-1].X+l.Width:
			values[i] = append(values[i], l.XY[next-1].Lo)
		case next == len(l.XY), l.Gap > 0 && l.XY[next].X-l.XY[next-1].X > l.Gap:
		case l.Shape == Steps:
			values[i] = append(values[i], l.XY[next-1].Lo)
		case l.Shape == Line:
			from, to := l.XY[next-1], l.XY[next]
			part := (mid - from.X) / (to.X - from.X)
			values[i] = append(values[i], from.Lo+part*(to.Lo-from.Lo))
		}
	}
}
