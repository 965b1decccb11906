package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// barsFigure has the mean and the variance of each metric side by side, as in the paper QoE24.
// There is a group of bars for each environment and in it a bar for each method. Environment
// and method are the factors in the names of scenarios. Without factors, each scenario is a
// group. Bars are means over the runs; each run is a dot.
func barsFigure(m *maker, names []string) (*Figure, error) {
	f, err := m.perMetric("Mean and variance", names, func(name string) []Panel {
		var out []Panel
		for _, path := range m.pathsOf(name) {
			out = append(out, m.statBars(name, path, "mean", means...), m.statBars(name, path, "variance", "variance"))
			for i := len(out) - 2; i < len(out) && path != ""; i++ {
				out[i].Row, out[i].Column = out[i].Y, path
			}
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	f.Columns = 2
	return f, nil
}

// means are the statistics that can be the mean of a metric, the best first. For rates, the
// variance in the report is over cells, so the mean over cells fits to it.
var means = []string{"cell_mean", "avg"}

// pathsOf returns the paths for which a metric has figures; "" stands for the connection.
func (m *maker) pathsOf(name string) (out []string) {
	for _, r := range m.runs {
		for _, v := range r.statistics(name, means...) {
			if !slices.Contains(out, v.path) {
				out = append(out, v.path)
			}
		}
	}
	return out
}

// statBars draws one statistic of a metric on a path.
func (m *maker) statBars(name, path, title string, stats ...string) Panel {
	p := Panel{Head: path, Y: strings.TrimSpace(label(name, "") + ", " + title)}
	if u := unitOf(name); u != "" && title == "variance" {
		p.Y += " (" + u + "\u00b2)"
	} else if u != "" {
		p.Y += " (" + u + ")"
	}
	if strings.ContainsAny(unitOf(name), "/ ") && title == "variance" {
		p.Y = strings.Replace(p.Y, "("+unitOf(name)+"\u00b2)", "(("+unitOf(name)+")\u00b2)", 1)
	}
	values := map[[2]string][]float64{}
	var groups, methods []string
	for _, r := range m.runs {
		group, method := m.group(r.Scenario)
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		if !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
		for _, v := range r.statistics(name, stats...) {
			if v.path == path {
				at := [2]string{group, method}
				values[at] = append(values[at], v.value)
			}
		}
	}
	p.Names = groups
	width := 0.8 / float64(len(methods))
	for j, method := range methods {
		l := Layer{Name: method, Shape: Bars, Width: 0.9 * width}
		l.wear(m.looks.method(method))
		dots := Layer{Shape: Dots, Mark: Disc, Colour: palette.Total}
		for i, group := range groups {
			v := values[[2]string{group, method}]
			if len(v) == 0 {
				continue
			}
			x := float64(i) + (float64(j)-float64(len(methods)-1)/2)*width
			l.XY = append(l.XY, Coord{x, 0, mean(v)})
			for _, one := range v {
				if len(v) > 1 {
					dots.XY = append(dots.XY, Coord{x, one, one})
				}
			}
		}
		if len(l.XY) > 0 {
			p.Layers = append(p.Layers, l, dots)
		}
	}
	return p
}

// group returns the group of a scenario's bar and its method within the group. If the names of
// scenarios have no factors, each scenario is a group.
func (m *maker) group(scenario string) (group, method string) {
	for name := range maps.Keys(m.numbers) {
		if rest, last := parts(name); rest == "" || last == "" {
			return scenario, ""
		}
	}
	return parts(scenario)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// statistics returns the first of these statistics that a metric has: for the direction of the
// connection, or for each path.
func (r *Run) statistics(name string, stats ...string) (out []average) {
	for _, row := range catalogue.Lookup(metrics.Table(), name) {
		if v, ok := statistic(r.dir(), row.JSON, stats); ok {
			return []average{{"", v}}
		}
		labels := r.connection().PathLabels()
		for i := range r.connection().Subflows {
			d := r.subflow(i)
			if v, ok := statistic(d, row.JSON, stats); ok {
				path := labels[i]
				if path == "" { // it carried nothing
					path = r.connection().Subflows[i].Path
				}
				out = append(out, average{path, v})
			}
		}
		if out != nil {
			return out
		}
	}
	return out
}

// mixFigure has, for each scenario, a stack of the shares of the paths, and a stack of the
// segments that each path lost. The values are means over the runs.
func mixFigure(m *maker, _ []string) (*Figure, error) {
	share := m.stack("Share of the data (%)", func(r *Run, path string) (float64, bool) {
		for i := range r.dir().Paths {
			if s := &r.dir().Paths[i]; s.Path == path && s.Percent != nil {
				return *s.Percent, true
			}
		}
		return 0, len(r.dir().Paths) > 0
	})
	lost := m.stack("Lost segments", (*Run).lost)
	f := &Figure{Title: m.title("Shares of the paths and lost segments")}
	if len(share.Layers) == 0 {
		return nil, fmt.Errorf("%w: no share of a path in %s%s", ErrEmpty, m.where(), m.runs[0].reason("share"))
	}
	if f.Panels = []Panel{share}; len(lost.Layers) > 0 {
		f.Panels = append(f.Panels, lost)
	}
	return f, nil
}

// lost returns the number of lost segments of a path. It is 0 if the run has no subflow on this
// path. ok is false if the capture does not show the losses.
func (r *Run) lost(path string) (sum float64, ok bool) {
	for i := range r.connection().Subflows {
		d := r.subflow(i)
		here := r.connection().Subflows[i].Path == path
		switch {
		case d != nil && d.Drops != nil && here:
			sum, ok = sum+float64(d.Drops.Count), true
		case here && d.Volume() > 0:
			return 0, false
		case d != nil && d.Drops != nil:
			ok = true
		}
	}
	return sum, ok
}

// subflow returns the figure's direction of a subflow, or nil if the report does not have it.
func (r *Run) subflow(i int) *report.SubDir {
	s := &r.connection().Subflows[i]
	if r.Direction == report.B2A {
		return s.B2A
	}
	return s.A2B
}

// stack draws one bar for each scenario. The bar is a stack with one part for each path: the
// mean of value over the runs. It ignores runs without a value.
func (m *maker) stack(y string, value func(r *Run, path string) (float64, bool)) Panel {
	p := Panel{Y: y, Names: make([]string, len(m.numbers))}
	for name, i := range m.numbers {
		p.Names[i] = name
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "all runs"
	}
	base := make([]float64, len(p.Names))
	for _, path := range m.looks.order {
		l := Layer{Name: path, Shape: Bars, Width: 0.6}
		l.wear(m.looks.path(path))
		values := make([][]float64, len(p.Names))
		for _, r := range m.runs {
			if v, ok := value(r, path); ok {
				i := m.numbers[r.Scenario]
				values[i] = append(values[i], v)
			}
		}
		for i, v := range values {
			if len(v) > 0 && mean(v) > 0 {
				l.XY = append(l.XY, Coord{float64(i), base[i], base[i] + mean(v)})
				text := threeDigits(mean(v))
				if whole := math.Trunc(mean(v)); whole == mean(v) {
					text = fmt.Sprintf("%.0f", whole)
				}
				l.Inside = append(l.Inside, text)
				base[i] += mean(v)
			}
		}
		if len(l.XY) > 0 {
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}
