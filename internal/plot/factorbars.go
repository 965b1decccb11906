package plot

import (
	"maps"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

// barsFigure has mean, standard deviation and variance of each metric, as in the paper QoE24, or
// the statistic that a name like throughput.stddev asks for.
// There is a group of bars for each environment and in it a bar for each method. Environment
// and method are the factors in the names of scenarios. Without factors, each scenario is a
// group. Bars are means over the runs, with the interval of the mean; each run is a dot.
func barsFigure(m *maker, names []string) (*Figure, error) {
	f, err := m.perMetric("Mean, standard deviation and variance", names, func(name string) []Panel {
		metric, stat := splitStat(name)
		list := []string{"cell_mean", "stddev", "variance"}
		if stat != "" {
			list = []string{stat}
		}
		var out []Panel
		for _, path := range m.pathsOf(metric) {
			for _, s := range list {
				out = append(out, m.statBars(metric, path, s, stat == ""))
			}
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(names, func(n string) bool { _, s := splitStat(n); return s != "" }) {
		f.Title = m.title("Statistics of the runs")
	}
	f.Columns = 3
	return f, nil
}

// means are the statistics that can be the mean of a metric, the best first. For rates, the
// variance in the report is over cells, so the mean over cells fits to it.
var means = []string{"cell_mean", "avg"}

// pathsOf returns the paths for which a metric has figures; "" stands for the connection.
func (m *maker) pathsOf(name string) (out []string) {
	for _, r := range m.runs {
		for _, v := range r.statistics(name, means...) {
			out = campaign.Once(out, v.path)
		}
	}
	return out
}

// statBars draws one statistic of a metric on a path. plain says that the mean is called so,
// whatever it is the mean of.
func (m *maker) statBars(metric, path, stat string, plain bool) Panel {
	word := statWords[stat]
	if plain && stat == "cell_mean" {
		word = "mean"
	}
	p := Panel{Head: path, Y: statLabel(metric, stat, word)}
	p.metric = p.Y
	values := map[[2]string][]float64{}
	var groups, methods []string
	for _, r := range m.runs {
		group, method := m.group(r.Scenario)
		groups = campaign.Once(groups, group)
		methods = campaign.Once(methods, method)
		for _, v := range r.statistics(metric, statsOf(stat)...) {
			if v.path == path {
				at := [2]string{group, method}
				values[at] = append(values[at], v.value)
			}
		}
	}
	p.Names = groups
	width := 0.8 / float64(len(methods))
	for j, method := range methods {
		for i, group := range groups {
			v := values[[2]string{group, method}]
			if len(v) == 0 {
				continue
			}
			l := Layer{Name: method, Shape: Bars, Width: 0.9 * width}
			if l.wear(m.looks.method(method)); method == "" { // the axis names the scenario
				l.wear(m.looks.scenario(group))
			}
			x := float64(i) + (float64(j)-float64(len(methods)-1)/2)*width
			p.Layers = append(p.Layers, meanBar(l, x, v)...)
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
		if v, ok := statistic(r.dir(), campaign.ConnNumber, row.JSON, stats); ok {
			return []average{{"", v}}
		}
		labels := r.connection().PathLabels()
		for i := range r.connection().Subflows {
			if v, ok := statistic(r.subflow(i), campaign.SubNumber, row.JSON, stats); ok {
				path := labels[i]
				if path == "" { // it carried nothing
					path = r.connection().Subflows[i].Path
				}
				if r.only == "" || r.only == path {
					out = append(out, average{path, v})
				}
			}
		}
		if out != nil {
			return out
		}
	}
	return out
}
