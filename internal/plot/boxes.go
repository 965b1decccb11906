package plot

import (
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
)

// boxFigure draws, for each metric, one box per scenario over the averages of its runs. For a
// metric of subflows it draws one box per scenario and path.
func boxFigure(m *maker, names []string) (*Figure, error) {
	title := "Runs"
	if m.several {
		title = "Runs by scenario"
	}
	paths, whole := 0, 0
	for _, name := range names {
		for _, v := range m.runs[0].averages(name) {
			if v.path != "" {
				paths++
			} else {
				whole++
			}
		}
	}
	m.looks.mixed = paths > 0 && whole > 0
	f, err := m.perMetric(title, names, func(name string) []Panel {
		var list []sample
		for _, r := range m.runs {
			for _, v := range r.averages(name) {
				list = append(list, sample{r.Scenario, v})
			}
		}
		p := m.groups(list, func(at, width float64, values []float64, s sample) []Layer {
			a := m.looks.scenario(s.scenario)
			if s.path != "" {
				a = m.looks.path(s.path)
			}
			if len(values) == 1 { // a box of one value would be a line
				v := values[0]
				return []Layer{{Shape: Dots, Colour: a.colour, Mark: Square, Width: width, Labels: []string{threeDigits(v)}, XY: []Coord{{at, v, v}}}}
			}
			box := Layer{Shape: Boxes, Colour: a.colour, Dash: a.dash, Width: 0.7 * width}
			dots := Layer{Shape: Dots, Mark: Disc, Colour: palette.Total}
			for _, v := range values {
				box.XY = append(box.XY, Coord{at, v, v})
			}
			dots.XY = slices.Clone(box.XY)
			return []Layer{box, dots}
		})
		metric, stat := splitStat(name)
		p.Y = statLabel(metric, stat, statWords[stat])
		return []Panel{p}
	})
	if err == nil && len(f.Panels) > 1 {
		f.Columns = gridColumns
	}
	return f, err
}

// sample is a figure of a run.
type sample struct {
	scenario string
	average
}

// groups makes a panel of samples, grouped by scenario and path. It calls draw to make the
// layers of each group, at a position and with a width on the horizontal axis. The axis names
// the scenarios and the legend the paths. If there is only one scenario, the axis names the
// paths.
func (m *maker) groups(list []sample, draw func(at, width float64, values []float64, s sample) []Layer) Panel {
	p := Panel{Names: []string{}}
	values := map[sample][]float64{}
	var scenarios, paths []string
	var order []sample
	for _, s := range list {
		key := sample{s.scenario, average{path: s.path}}
		if values[key] == nil {
			order = append(order, key)
		}
		values[key] = append(values[key], s.value)
		scenarios = campaign.Once(scenarios, s.scenario)
		paths = campaign.Once(paths, s.path)
	}
	p.Names = scenarios
	width := 0.8 / float64(max(1, len(paths)))
	if !m.several {
		p.Names, width = paths, 0.8
	}
	for _, s := range order {
		j := float64(slices.Index(paths, s.path))
		at := j
		if m.several {
			at = float64(slices.Index(scenarios, s.scenario)) + (j-float64(len(paths)-1)/2)*width
		}
		layers := draw(at, width, values[s], s)
		if m.several {
			layers[0].Name = s.path
		}
		p.Layers = append(p.Layers, layers...)
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "all runs"
	}
	return p
}

// average is a metric's figure in one run.
type average struct {
	path  string // empty for the whole connection
	value float64
}

// averages returns the average of a metric, or the statistic that its name asks for, as in tables
// of runs: for the direction of the connection, or for each subflow.
func (r *Run) averages(name string) []average {
	metric, stat := splitStat(name)
	if stat == "" {
		stat = "avg"
		if found := catalogue.Lookup(metrics.Table(), metric); len(found) > 0 {
			stat = found[0].Usual()
		}
	}
	return r.statistics(metric, stat)
}

// statistic returns a number in a part of the report by its JSON name. If the name stands for a
// summary, it returns the first of the statistics that the summary has.
func statistic[D any](part D, number func(D, string) (float64, bool), name string, stats []string) (float64, bool) {
	if v, ok := number(part, name); ok {
		return v, slices.Contains(stats, "avg")
	}
	for _, s := range stats {
		if v, ok := number(part, name+"."+s); ok {
			return v, true
		}
	}
	return 0, false
}
