package plot

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// faint is the colour of lines that are drawn for comparison only.
var faint = color.NRGBA{0x99, 0x99, 0x99, 0xff}

// neutral is the colour in which the legend shows dashes.
var neutral = color.NRGBA{0x66, 0x66, 0x66, 0xff}

// darker returns the colour for marks on lines of the same path.
func darker(c color.NRGBA) color.NRGBA {
	return color.NRGBA{c.R / 2, c.G / 2, c.B / 2, 0xff}
}

// tint returns a paler colour, for areas behind other parts.
func tint(c color.NRGBA) color.NRGBA {
	pale := func(v uint8) uint8 { return 0xff - (0xff-v)/2 }
	return color.NRGBA{pale(c.R), pale(c.G), pale(c.B), 0xff}
}

// shapeOf returns how a metric's series is drawn: as steps if a value holds until the next one,
// as in the cells of a grid; as dots for the offset of data; else as a line from sample to sample.
func shapeOf(name string) Shape {
	switch name {
	case "throughput", "goodput", "share", "protocol_delay", "hol_degree", "hol_blocking", "hol_degree_all_paths":
		return Steps
	case dsnOffset:
		return Dots
	}
	if holds(name) || campaign.KernelUnit(name) != "" {
		return Steps
	}
	return Line
}

// holds reports whether a metric keeps its value until the next value.
func holds(name string) bool {
	return slices.ContainsFunc(catalogue.Lookup(metrics.Table(), name), func(m catalogue.Metric) bool { return m.Holds })
}

func seriesFigure(m *maker, names []string) (*Figure, error) {
	m.looks.mixed = m.several && m.mixes(names)
	title, panels := "Over time", m.onePanel
	if n := len(m.runs); n > manyRuns && n > len(m.numbers) {
		title, panels = fmt.Sprintf("Over time: median and middle half of %d runs", n), m.medianPanels
	}
	m.setRateCell(names, true)
	f, err := m.perMetric(title+m.rateNote(), names, panels)
	if err == nil && len(f.Panels) > fewPanels && f.Panels[0].Group {
		f.Columns = gridColumns // a panel per scenario
	}
	return f, err
}

// fewPanels is the largest number of panels of scenarios in one column.
const fewPanels = 4

// mixes reports whether some metrics have values for paths and others do not.
func (m *maker) mixes(names []string) bool {
	with, without := false, false
	for _, name := range names {
		if m.hasPaths(name) {
			with = true
		} else if slices.ContainsFunc(m.runs, func(r *Run) bool { return len(r.series(name)) > 0 }) {
			without = true
		}
	}
	return with && without
}

// onePanel returns the panel of a series, as a list of one. If colours stand for paths and there
// are more scenarios than dashes, it returns a panel for each scenario.
func (m *maker) onePanel(name string) (out []Panel) {
	if len(m.numbers) <= len(dashes) || !m.hasPaths(name) {
		return []Panel{m.panel(name)}
	}
	for _, of := range m.scenarios() {
		p := of.panel(name)
		p.Head, p.Group = of.head, true
		out = append(out, p)
	}
	return out
}

// hasPaths reports whether a metric has values for paths.
func (m *maker) hasPaths(name string) bool {
	return slices.ContainsFunc(m.runs, func(r *Run) bool {
		return slices.ContainsFunc(r.series(name), func(l *timeline.Series) bool { return l.Subflow != report.NoSubflow })
	})
}

// perMetric makes a figure of the panels of each metric. Empty panels are left
// out, and the figure says which; if all are empty, the error says why.
func (m *maker) perMetric(title string, names []string, panels func(name string) []Panel) (*Figure, error) {
	f := &Figure{Title: m.title(title)}
	for _, name := range names {
		some := drawn(panels(name))
		if len(some) == 0 {
			f.Missing = append(f.Missing, fmt.Sprintf("no %s in %s%s", name, m.where(), m.runs[0].reason(name)))
			continue
		}
		f.Panels = append(f.Panels, some...)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("%w; %s", ErrEmpty, strings.Join(f.Missing, "; "))
	}
	return f, nil
}

// drawn returns the panels that are not empty.
func drawn(all []Panel) []Panel {
	return slices.DeleteFunc(all, func(p Panel) bool { return len(p.Layers) == 0 })
}

func (m *maker) where() string {
	return fmt.Sprintf("connection %d, %s", m.runs[0].Connection, m.runs[0].Direction)
}

// panel draws one series of all runs: first the paths, then their total on top. If paths are
// drawn, colours stand for paths, so the totals have no colour.
func (m *maker) panel(name string) Panel {
	unit, by := m.unit(name)
	p := Panel{X: timeLabel, Y: label(name, unit)}
	for _, r := range m.runs {
		var totals []Layer
		paths := 0
		for _, l := range r.series(name) {
			layer := m.curve(r, l, by)
			if l.Subflow == report.NoSubflow {
				totals = append(totals, layer)
				continue
			}
			p.Layers = append(p.Layers, layer)
			paths++
		}
		for _, t := range totals {
			if paths > 0 {
				m.asTotal(&t, r)
			}
			p.Layers = append(p.Layers, t)
		}
	}
	if len(p.Layers) == 1 && !m.several {
		p.Layers[0].Name = "" // the label of the axis has the name already
	}
	if campaign.KernelUnit(name) != "" {
		m.markSamples(&p)
	} else if len(p.Layers) > 0 {
		p.Layers = append(p.Layers, m.overlay(name, by)...)
	}
	return p
}

// unit returns the unit for the axis of a metric, and how many units of the metric it has.
func (m *maker) unit(name string) (unit string, by float64) {
	if unit = unitOf(name); unit == "bytes" {
		return byteUnit(m.largest(name))
	}
	return unit, 1
}

// curve returns the layer of a series. Samples become means of cells, or points if the options
// say so.
func (m *maker) curve(r *Run, l *timeline.Series, by float64) Layer {
	shape := shapeOf(l.Name)
	cells := shape == Line && m.options.Cell > 0 && !m.options.Points
	switch {
	case cells:
		shape = Steps
	case shape == Line && m.options.Points:
		shape = Dots
	}
	layer := m.layer(r, l, shape)
	layer.Mark = Disc
	if cells {
		layer.XY = seconds(l.Means(m.options.Cell, r.gridBegins()), by)
		layer.Width = float64(m.options.Cell) / 1e9
		layer.Gap = 1.5 * layer.Width
		return layer
	}
	if points, ok := m.wider(r, l); ok {
		layer.XY, layer.Width = seconds(points, by), float64(m.cellOf(l.Name))/1e9
		layer.Gap = 1.5 * layer.Width
		return layer
	}
	layer.XY = seconds(l.Points(m.columns), by)
	if campaign.KernelUnit(l.Name) == "" {
		m.interrupt(r, l, &layer)
	}
	return layer
}

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

// asTotal gives the layer of a total the look that it has beside layers of paths.
func (m *maker) asTotal(t *Layer, r *Run) {
	t.Name, t.Colour, t.Dash, t.Sign = "total", palette.Total, 0, 0
	m.byDash(t, r)
}

func occupancyFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title("Buffers")}
	if p := m.panel(holQueue); len(p.Layers) > 0 {
		unit, _ := byteUnit(m.largest(holQueue))
		p.Y = "Reorder buffer (" + unit + ")"
		f.Panels = append(f.Panels, p)
	}
	unit, by := byteUnit(m.largest(rwnd, rwndFree))
	window := Panel{X: timeLabel, Y: "Receive window (" + unit + ")"}
	for _, r := range m.runs {
		for i, what := range []string{rwnd, rwndFree} {
			for _, l := range r.series(what) {
				layer := m.layer(r, l, Steps)
				layer.XY = seconds(l.Points(m.columns), by)
				m.interrupt(r, l, &layer)
				name := []string{"offered", "not yet used"}[i]
				if m.several {
					a := m.looks.scenario(r.Scenario)
					layer.Name, layer.Dash = r.Scenario+" "+name, i
					layer.Keys = []Key{{Name: r.Scenario, Rank: ByDash, Shape: Steps, Colour: a.colour, Dash: a.dash, Sign: layer.Sign}, {Name: name, Rank: ByMark, Shape: Steps, Colour: neutral, Dash: i}}
				} else {
					layer.Name, layer.Colour = name, []color.NRGBA{palette.Total, faint}[i]
				}
				window.Layers = append(window.Layers, layer)
			}
		}
	}
	if len(window.Layers) > 0 {
		f.Panels = append(f.Panels, window)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("%w: no %s in %s%s", ErrEmpty, rwnd, m.where(), m.runs[0].reason(rwnd))
	}
	return f, nil
}
