package plot

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// faint is the colour of lines that are drawn for comparison only.
var faint = color.NRGBA{0x99, 0x99, 0x99, 0xff}

// dark returns the colour for marks that lie on lines of the same path.
func dark(c color.NRGBA) color.NRGBA {
	return color.NRGBA{c.R / 2, c.G / 2, c.B / 2, 0xff}
}

// tint returns the colour for areas that others are drawn on.
func tint(c color.NRGBA) color.NRGBA {
	pale := func(v uint8) uint8 { return 0xff - (0xff-v)/2 }
	return color.NRGBA{pale(c.R), pale(c.G), pale(c.B), 0xff}
}

// shapeOf returns how a metric's series is drawn: as steps where a value holds
// until the next one, as it does in the cells of a grid; else samples as a line.
func shapeOf(name string) Shape {
	switch name {
	case "throughput", "goodput", "share", "protocol_delay", "hol_degree", "hol_blocking", "hol_degree_all_paths":
		return Steps
	case dsnOffset:
		return Dots
	}
	if holds(name) {
		return Steps
	}
	return Line
}

// holds reports whether the quantity of a metric keeps its value until the next
// one.
func holds(name string) bool {
	return slices.ContainsFunc(catalogue.Lookup(metrics.Table(), name), func(m catalogue.Metric) bool { return m.Holds })
}

func seriesFigure(m *maker, names []string) (*Figure, error) {
	if n := len(m.runs); n > manyRuns {
		return m.perMetric(fmt.Sprintf("Over time: median and middle half of %d runs", n), names, m.medianPanels)
	}
	return m.perMetric("Over time", names, m.onePanel)
}

// onePanel returns the panel of a series as a list.
func (m *maker) onePanel(name string) []Panel { return []Panel{m.panel(name)} }

// perMetric makes a figure of the panels of each metric. Empty panels are left
// out; if all are empty, the error says why.
func (m *maker) perMetric(title string, names []string, panels func(name string) []Panel) (*Figure, error) {
	f := &Figure{Title: m.title(title)}
	var missing strings.Builder
	for _, name := range names {
		drawn := slices.DeleteFunc(panels(name), func(p Panel) bool { return len(p.Layers) == 0 })
		if len(drawn) == 0 {
			missing.WriteString(fmt.Sprintf("; no %s in %s%s", name, m.where(), m.runs[0].reason(name)))
			continue
		}
		f.Panels = append(f.Panels, drawn...)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("%w%s", ErrEmpty, missing.String())
	}
	return f, nil
}

func (m *maker) where() string {
	return fmt.Sprintf("connection %d, %s", m.runs[0].Connection, m.runs[0].Direction)
}

// panel draws one series of all runs: the paths first, then their total on top.
// Where paths are drawn colours stand for paths, so that totals have none.
func (m *maker) panel(name string) Panel {
	unit, by := unitOf(name), 1.0
	if unit == "bytes" {
		unit, by = byteUnit(m.largest(name))
	}
	p := Panel{X: timeLabel, Y: label(name, unit)}
	for _, r := range m.runs {
		var totals []Layer
		paths := 0
		for _, l := range r.series(name) {
			layer := m.layer(r, l, shapeOf(name))
			layer.XY = seconds(l.Points(m.columns), by)
			if layer.Mark = Disc; !holds(name) {
				layer.Gap = gapOf(layer.XY)
			}
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
		p.Layers[0].Name = ""
	}
	return p
}

// asTotal gives the layer of a total the look that it has beside those of paths.
func (m *maker) asTotal(t *Layer, r *Run) {
	t.Name, t.Colour, t.Dash = "total", palette.Total, m.numbers[r.Scenario]
	if m.several {
		t.Name = strings.TrimSpace(r.Scenario + " total")
	}
}

// gapOf returns how far apart two samples must be for their line to be
// interrupted: a twentieth of the whole time, and ten times the mean distance of
// two samples. A line across an outage of a path would show values that nobody
// measured.
func gapOf(xy []Coord) float64 {
	n := len(xy)
	if n < 2 {
		return 0
	}
	return (xy[n-1].X - xy[0].X) * max(1./20, 10/float64(n-1))
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
				name := []string{"offered", "not yet used"}[i]
				if m.several {
					layer.Name = r.Scenario + " " + name
					layer.Dash = i
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

// cdfSteps is the number of quantiles of a distribution function's curve.
const cdfSteps = 400

func cdfFigure(m *maker, names []string) (*Figure, error) {
	return m.perMetric("Distribution", names, func(name string) []Panel {
		p := Panel{X: label(name, unitOf(name)), Y: "Share of values (%)"}
		for _, r := range m.runs {
			for _, l := range r.series(name) {
				layer := m.layer(r, l, Line)
				layer.XY = cumulative(l)
				p.Layers = append(p.Layers, layer)
			}
		}
		return []Panel{p}
	})
}

// cumulative returns the distribution function of the values of a series.
func cumulative(l *timeline.Series) (out []Coord) {
	p := make([]float64, cdfSteps+1)
	for i := range p {
		p[i] = float64(i) / cdfSteps
	}
	for i, v := range l.Dist.Quantiles(p...) {
		out = append(out, Coord{v, 100 * p[i], 100 * p[i]})
	}
	return out
}
