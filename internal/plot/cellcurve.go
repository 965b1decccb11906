package plot

import (
	"cmp"
	"maps"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/timeline"
)

// cellCurve returns the mean of the runs of one scenario in each cell as a line, and their range
// as an area, which is empty for a single run. Cells are counted from the first data of each run.
// all is the maker of all scenarios. The curve ends with the data of the first run to end: a mean of those that go on would
// jump there. It leaves out a cell if fewer than half as many runs have a value there as in the best cell.
func (m *maker) cellCurve(all *maker, name, path string) (area, line Layer) {
	r := m.runs[0]
	line = Layer{Shape: Steps}
	switch {
	case all.byPath:
		of := timeline.Series{Key: timeline.Key{Subflow: report.NoSubflow}, Path: path}
		if path != "" {
			of.Subflow = 0
		}
		if line = all.layer(r, &of, Steps); path == "" && len(all.paths(name, true)) > 1 {
			all.asTotal(&line, r)
		}
	case all.several:
		all.byLook(&line, r.Scenario)
	default:
		line.Colour = all.looks.scenario(r.Scenario).colour
	}
	line.Width = float64(m.options.Cell) / 1e9
	_, begins := all.clock(r)
	offset := float64(r.gridBegins()-begins) / 1e9
	ends, _ := m.lasts()
	values := map[int64][]float64{}
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			if l.Path == path && (path == "") == (l.Subflow == report.NoSubflow) {
				for k, v := range m.smooth(m.cells(r, l)) {
					values[k] = append(values[k], v)
				}
			}
		}
	}
	most := 0
	for _, v := range values {
		most = max(most, len(v))
	}
	line.Gap = 1.5 * line.Width
	area = Layer{Shape: Areas, Held: true, Colour: line.Colour, Width: line.Width, Gap: line.Gap}
	for k, v := range values {
		if k < 0 || 2*len(v) < most || len(m.runs) > 1 && k*m.options.Cell > ends {
			continue
		}
		x, mid := offset+float64(k)*line.Width, mean(v)
		line.XY = append(line.XY, Coord{x, mid, mid})
		if len(m.runs) > 1 {
			area.XY = append(area.XY, Coord{x + line.Width/2, slices.Min(v), slices.Max(v)})
		}
	}
	for _, l := range []*Layer{&area, &line} {
		slices.SortFunc(l.XY, func(a, b Coord) int { return cmp.Compare(a.X, b.X) })
	}
	return area, line
}

// smooth replaces the value of each cell by the median of the values around it, as far as the
// options say. Cells without a value stay without one.
func (m *maker) smooth(cells map[int64]float64) map[int64]float64 {
	half := m.options.Smooth / max(1, m.options.Cell) / 2
	if half < 1 || len(cells) == 0 {
		return cells
	}
	numbers := slices.Sorted(maps.Keys(cells))
	first, last := numbers[0], numbers[len(numbers)-1]
	out := make(map[int64]float64, len(cells))
	var near []float64
	for k := range cells {
		near = near[:0]
		for i := max(first, k-half); i <= min(last, k+half); i++ {
			if v, ok := cells[i]; ok {
				near = append(near, v)
			}
		}
		slices.Sort(near)
		out[k] = stats.Quantile(near, 0.5)
	}
	return out
}
