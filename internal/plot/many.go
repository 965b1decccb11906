package plot

import (
	"fmt"
	"slices"

	"mpanalyze/internal/report"
)

const (
	// manyRuns is how many runs have a line each. More of them hide each other,
	// so that their median is drawn, and an area for the middle half of them.
	manyRuns = 8
	// fewLines is how many medians one panel has; where there are more each
	// scenario has a panel.
	fewLines = 4
	// cells is at how many times the runs are compared.
	cells = 150
)

// bundle is what the runs of a scenario show of one path, or in total.
type bundle struct {
	layer Layer // of the median
	run   *Run  // the first of them
	total bool
	lanes [][]Coord // none empty
}

// spread draws a metric of many runs.
func (m *maker) spread(name string) (out []Panel) {
	unit, by := unitOf(name), 1.0
	if unit == "bytes" {
		unit, by = octets(m.largest(name))
	}
	all, makers := m.bundles(name, by), []*maker{m}
	if len(all) > fewLines {
		makers = m.scenarios()
	}
	last := 0.0
	for i := range all {
		for _, xy := range all[i].lanes {
			last = max(last, xy[len(xy)-1].X)
		}
	}
	for _, of := range makers {
		p := Panel{X: timeLabel, Y: label(name, unit)}
		if of.head != "" {
			p.Head = fmt.Sprintf("%s, %d runs", of.head, len(of.runs))
		}
		var lines []Layer
		list := of.bundles(name, by)
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

// bundles gathers a metric of the runs, the paths first and then their total.
func (m *maker) bundles(name string, by float64) (out []*bundle) {
	at := map[string]*bundle{}
	paths := false
	for _, r := range m.runs {
		for _, l := range r.lanes(name) {
			xy := seconds(l.Points(m.columns), by)
			if len(xy) == 0 {
				continue
			}
			layer := m.layer(r, l, steady(name))
			b := at[layer.Name]
			if b == nil {
				b = &bundle{layer: layer, run: r, total: l.Subflow == report.NoSubflow}
				at[layer.Name] = b
				out = append(out, b)
			}
			b.lanes = append(b.lanes, xy)
			paths = paths || !b.total
		}
	}
	for _, b := range out {
		if b.total && paths {
			m.beside(&b.layer, b.run)
		}
	}
	slices.SortStableFunc(out, func(a, b *bundle) int {
		switch {
		case a.total == b.total:
			return 0
		case a.total:
			return 1
		}
		return -1
	})
	return out
}

// quartiles returns the middle half of the lanes at each time as an area, and
// their median as a line. Where less than half as many lanes have a value as
// have one at other times neither is drawn: they would be those of other runs.
func (b *bundle) quartiles(width float64) (area, line Layer) {
	area, line = b.layer, b.layer
	area.Shape, area.Name, area.Width, area.Gap = Areas, "", width, 1.5*width
	line.Shape, line.Gap = Line, 1.5*width
	values := make([][]float64, cells)
	most := 0
	for _, xy := range b.lanes {
		b.sample(xy, width, values)
	}
	for _, v := range values {
		most = max(most, len(v))
	}
	for i, v := range values {
		if len(v) == 0 || 2*len(v) < most {
			continue
		}
		slices.Sort(v)
		x, mid := (float64(i)+0.5)*width, quantile(v, 0.5)
		area.XY = append(area.XY, Coord{x, quantile(v, 0.25), quantile(v, 0.75)})
		line.XY = append(line.XY, Coord{x, mid, mid})
	}
	return area, line
}

// sample enters the value that a lane has in each cell of that width: the median
// of what lies in it; else what lies in front of it, where that holds, or on the
// line between its neighbours, unless that is interrupted.
func (b *bundle) sample(xy []Coord, width float64, values [][]float64) {
	gap := silence(xy)
	next := 0 // the first point behind the cell
	var in []float64
	for i := range values {
		in = in[:0]
		for end := float64(i+1) * width; next < len(xy) && (xy[next].X < end || i == cells-1); next++ {
			in = append(in, xy[next].Lo)
		}
		switch {
		case len(in) > 0:
			slices.Sort(in)
			values[i] = append(values[i], quantile(in, 0.5))
		case next == 0 || next == len(xy):
		case b.layer.Shape == Steps:
			values[i] = append(values[i], xy[next-1].Lo)
		case b.layer.Shape == Line && xy[next].X-xy[next-1].X <= gap:
			from, to := xy[next-1], xy[next]
			part := ((float64(i)+0.5)*width - from.X) / (to.X - from.X)
			values[i] = append(values[i], from.Lo+part*(to.Lo-from.Lo))
		}
	}
}
