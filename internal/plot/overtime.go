package plot

import (
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// onPaths draws a metric with the panel of the kind. Where colours stand for paths, all its paths have one panel; else each path
// has a panel, where a scenario has the same colour in all of them.
func (k *Kind) onPaths(m *maker, name string) (out []Panel) {
	if m.byPath {
		return []Panel{k.panel(m, name, m.paths(name, k.lines))}
	}
	for _, path := range m.paths(name, false) {
		p := k.panel(m, name, []string{path})
		p.Head = path
		out = append(out, p)
	}
	return out
}

// gridColumns is the number of panels side by side in a grid of panels.
const gridColumns = 2

// endNotes says which curves of pooled runs end before the last of their runs.
func (m *maker) endNotes() (out []string) {
	for _, of := range m.scenarios() {
		first, last := of.lasts()
		if len(of.runs) > 1 && float64(first) < endsTogether*float64(last) {
			out = append(out, fmt.Sprintf("%s: its curves end at %.3g s, where the first of its runs ends; the last one ends at %.3g s",
				of.runs[0].Scenario, float64(first+m.options.Cell)/1e9, float64(last+m.options.Cell)/1e9))
		}
	}
	return out
}

// endsTogether is the part of the longest run that the shortest of a scenario has at least, where nothing is said of it.
const endsTogether = 0.9

// linePanel draws a metric over time on these paths, "" for the connection. Pooled runs are drawn as the mean of their cells, and their
// range. Areas lie below all lines.
func (m *maker) linePanel(name string, paths []string) Panel {
	unit := unitOf(name)
	p := Panel{X: timeLabel, Y: Label(name, unit), metric: name, bytes: unit == "bytes"}
	if p.bytes {
		p.Y = Label(name, "")
	}
	if m.byPath && !m.pooled {
		for _, r := range m.runs {
			p.Layers = append(p.Layers, m.curves(r, r, name)...)
		}
		if len(p.Layers) == 1 && !m.several {
			p.Layers[0].Name = "" // the label of the axis has the name already
		}
		if campaign.KernelUnit(name) != "" {
			m.markSamples(&p)
		} else if len(p.Layers) > 0 {
			p.Layers = append(p.Layers, m.overlay(name)...)
		}
		return p
	}
	p.X, _ = m.clock(m.runs[0])
	var lines []Layer
	for _, of := range m.pools() {
		for _, path := range paths {
			area, line := of.cellCurve(m, name, path)
			if area.Pale = len(m.numbers) > fewLines; len(area.XY) > 0 {
				p.Layers = append(p.Layers, area)
			}
			if len(line.XY) > 0 {
				lines = append(lines, line)
			}
		}
	}
	p.Layers = append(p.Layers, lines...)
	return p
}

// fewLines is the largest number of scenarios whose ranges are drawn in the usual tint.
const fewLines = 4

// pools returns a maker for the runs of each curve: those of a scenario, or a single one.
func (m *maker) pools() (out []*maker) {
	for _, of := range m.scenarios() {
		if !m.each {
			out = append(out, of)
			continue
		}
		for i, r := range of.runs {
			one := of.of([]*Run{r})
			one.head = fmt.Sprintf("%s run %d", r.Scenario, i+1)
			out = append(out, one)
		}
	}
	return out
}

// paths returns the paths of a metric's series in the order of the connection. "" stands for the connection: it is the last with
// total, and else the only one if the metric has a series for it.
func (m *maker) paths(name string, total bool) (out []string) {
	whole := false
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			if whole = whole || l.Subflow == report.NoSubflow; l.Subflow != report.NoSubflow {
				out = campaign.Once(out, l.Path)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return slices.Index(m.looks.order, a) - slices.Index(m.looks.order, b)
	})
	switch {
	case whole && total:
		return append(out, "")
	case whole:
		return []string{""}
	}
	return out
}

// curves draws a metric of a run: its paths, then their total on top. from is the run in the report that has the series. If paths
// are drawn, colours stand for paths, so the totals have no colour.
func (m *maker) curves(r, from *Run, name string) (out []Layer) {
	var totals []Layer
	for _, l := range from.series(name) {
		if from != r {
			l = r.named(from, l)
		}
		if layer := m.curve(from, l); l.Subflow == report.NoSubflow {
			totals = append(totals, layer)
		} else {
			out = append(out, layer)
		}
	}
	for i := range totals {
		if len(out) > i {
			m.asTotal(&totals[i], r)
		}
	}
	return append(out, totals...)
}

// curve returns the layer of a series. Samples become means of cells, if the options say how long these are.
func (m *maker) curve(r *Run, l *timeline.Series) Layer {
	shape := shapeOf(l.Name)
	cells := shape == Line && m.options.Cell > 0
	if cells {
		shape = Steps
	}
	layer := m.layer(r, l, shape)
	layer.Mark = Disc
	if cells {
		layer.XY, layer.Width = r.corrected(l, seconds(l.Means(m.options.Cell, r.gridBegins()))), float64(m.options.Cell)/1e9
		layer.Gap = 1.5 * layer.Width
		return layer
	}
	layer.XY = r.corrected(l, seconds(l.Points(m.columns)))
	if campaign.KernelUnit(l.Name) == "" {
		m.interrupt(r, l, &layer)
	}
	return layer
}

// asTotal gives the layer of a total the look that it has beside layers of paths.
func (m *maker) asTotal(t *Layer, r *Run) {
	t.Name, t.Colour, t.Dash, t.Sign = "total", palette.Total, 0, 0
	m.byDash(t, r)
}

// shapeOf returns how a metric's series is drawn: as steps if a value holds until the next one,
// as in the cells of a grid; as dots for the offset of data; else as a line from sample to sample.
func shapeOf(name string) Shape {
	if name == dsnOffset {
		return Dots
	}
	if slices.Contains(overCells, name) || holds(name) || campaign.KernelUnit(name) != "" {
		return Steps
	}
	return Line
}

// holds reports whether a metric keeps its value until the next value.
func holds(name string) bool {
	return slices.ContainsFunc(catalogue.Lookup(metrics.Table(), name), func(m catalogue.Metric) bool { return m.Holds })
}
