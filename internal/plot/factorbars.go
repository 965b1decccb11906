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

// barsFigure has the mean and the variance of each metric side by side, as QoE24
// prints them: a group of bars for each environment, in it one for each method. These
// are the factors of which the scenarios' names are made; without factors each scenario
// is a group. Bars are means over the runs, each of which is a dot.
func barsFigure(m *maker, names []string) (*Figure, error) {
	f, err := m.perMetric("Mean and variance", names, func(name string) []Panel {
		var out []Panel
		for _, path := range m.pathsOf(name) {
			out = append(out, m.statBars(name, path, "mean", means...), m.statBars(name, path, "variance", "variance"))
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	f.Columns = 2
	return f, nil
}

// means are the statistics that stand for the mean of a metric, the best first: of
// rates the variance is one over cells, and their mean goes with it.
var means = []string{"cell_mean", "avg"}

// pathsOf returns the paths that a metric's figures are of; "" for the connection.
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
		l := Layer{Name: method, Shape: Bars, Colour: palette.Of(j), Dash: j / palette.Colours, Width: 0.9 * width}
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

// group returns where a scenario's bar stands: in the group of its environment as the
// bar of its method, or alone.
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

// statistics returns a statistic of a metric, the first of those named that it has: of
// the connection's direction, or of each path.
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

// mixFigure has, for each scenario, the shares of the paths stacked, and the segments
// that each lost. Bars are means over the runs.
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

// lost returns the lost segments of a path: none where the run has no subflow on it. It is false
// where the capture does not show them.
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

// subflow returns the direction of the figure of a subflow; nil where the report has none.
func (r *Run) subflow(i int) *report.SubDir {
	s := &r.connection().Subflows[i]
	if r.Direction == report.B2A {
		return s.B2A
	}
	return s.A2B
}

// stack draws a bar for each scenario: the means of what value returns for each path
// upon each other. A run without a value takes no part.
func (m *maker) stack(y string, value func(r *Run, path string) (float64, bool)) Panel {
	p := Panel{Y: y, Names: make([]string, len(m.numbers))}
	for name, i := range m.numbers {
		p.Names[i] = name
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "all runs"
	}
	paths := slices.Sorted(maps.Values(m.paths))
	names := map[int]string{}
	for name, n := range m.paths {
		names[n] = name
	}
	base := make([]float64, len(p.Names))
	for _, n := range paths {
		l := Layer{Name: names[n], Shape: Bars, Colour: palette.Of(n), Dash: n / palette.Colours, Width: 0.6}
		values := make([][]float64, len(p.Names))
		for _, r := range m.runs {
			if v, ok := value(r, names[n]); ok {
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
