package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// sample is a figure of a run: where it stands on the horizontal axis, and what its colour stands for.
type sample struct {
	at, key string
	look    look
	value   float64
}

// grouped makes a panel of samples, grouped by places and keys. It calls draw to make the layers of each group, at a position and
// with a width, a part of that of a place, on the horizontal axis. The axis names the places, and the legend the keys.
func (m *maker) grouped(list []sample, part float64, draw func(a look, at, width float64, values []float64) []Layer) Panel {
	p := Panel{Names: []string{}}
	values := map[sample][]float64{}
	var keys []string
	var order []sample
	for _, s := range list {
		group := sample{at: s.at, key: s.key, look: s.look}
		if values[group] == nil {
			order = append(order, group)
		}
		values[group] = append(values[group], s.value)
		p.Names, keys = campaign.Once(p.Names, s.at), campaign.Once(keys, s.key)
	}
	width := 0.8 / float64(max(1, len(keys)))
	for _, s := range order {
		at := float64(slices.Index(p.Names, s.at)) + (float64(slices.Index(keys, s.key))-float64(len(keys)-1)/2)*width
		layers := draw(s.look, at, part*width, values[s])
		layers[0].Name = s.key
		p.Layers = append(p.Layers, layers...)
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "all runs"
		if m.total == 1 {
			p.Names[0] = "this run"
		}
	}
	return p
}

// byPathOrScenario returns the place and the key of a figure of a path, or of a connection: the axis names the scenarios and the
// legend the paths. If there is only one scenario, the axis names the paths.
func (m *maker) byPathOrScenario(r *Run, path string, value float64) sample {
	a := m.looks.path(path)
	if path == "" {
		a = m.looks.scenario(r.Scenario)
	}
	if !m.several {
		return sample{path, "", a, value}
	}
	return sample{r.Scenario, path, a, value}
}

// perPathPanels makes a panel for each path of the values of runs, or one for values of the connection: with a place for each group and a
// key for each method ([maker.group]).
func (m *maker) perPathPanels(values func(*Run) []average, part float64, draw func(a look, at, width float64, values []float64) []Layer) (out []Panel) {
	lists, paths := map[string][]sample{}, []string{}
	for _, r := range m.runs {
		group, method := m.group(r)
		a := m.looks.method(method)
		if method == "" { // the axis names the scenario
			a = m.looks.scenario(group)
		}
		for _, v := range values(r) {
			lists[v.path], paths = append(lists[v.path], sample{group, method, a, v.value}), campaign.Once(paths, v.path)
		}
	}
	for _, path := range paths {
		p := m.grouped(lists[path], part, draw)
		p.Head = path
		out = append(out, p)
	}
	return out
}

// boxPanels are boxes over the averages of runs.
func (m *maker) boxPanels(name string) []Panel {
	out := m.perPathPanels(func(r *Run) []average { return r.averages(name) }, 1, box)
	metric, stat := splitStat(name)
	for i := range out {
		out[i].Y = m.statLabel(metric, stat, statWords[stat])
	}
	return out
}

// box draws a box over the values of runs, each a dot: quartiles and median, and whiskers over the whole range. A box of one value
// would be a line.
func box(a look, at, width float64, values []float64) []Layer {
	dots := Layer{Shape: Dots, Colour: palette.Total, Mark: Disc}
	for _, v := range values {
		dots.XY = append(dots.XY, Coord{at, v, v})
	}
	if len(values) == 1 {
		dots.Colour, dots.Mark, dots.Width, dots.Labels = a.colour, Square, width, []string{threeDigits(values[0])}
		return []Layer{dots}
	}
	sorted := slices.Sorted(slices.Values(values))
	between := func(low, high float64) Coord {
		return Coord{at, stats.Quantile(sorted, low), stats.Quantile(sorted, high)}
	}
	quartiles := Layer{Shape: Bars, Width: 0.7 * width, XY: []Coord{between(0.25, 0.75)}}
	quartiles.wear(a)
	quartiles.Colour = tint(a.colour)
	whiskers := Layer{Shape: Intervals, Colour: darker(a.colour), Width: 0.2 * width, XY: []Coord{between(0, 0.25), between(0.75, 1)}}
	median := Layer{Shape: Intervals, Colour: palette.Total, Width: 0.7 * width, XY: []Coord{between(0.5, 0.5)}}
	return []Layer{quartiles, whiskers, median, dots}
}

// barsPanels are mean, standard deviation and variance of a metric, as in the paper QoE24, or
// the statistic that a name like throughput.stddev asks for.
// There is a group of bars for each environment and in it a bar for each method. Environment
// and method are the factors in the names of scenarios. Without factors, each scenario is a
// group. Bars are means over the runs, with the interval of the mean; each run is a dot.
func (m *maker) barsPanels(name string) (out []Panel) {
	metric, stat := splitStat(name)
	list := []string{"cell_mean", "stddev", "variance"}
	if stat != "" {
		list = []string{stat}
	}
	for _, s := range list {
		word := statWords[s]
		if stat == "" && s == "cell_mean" { // the mean is called so, whatever it is the mean of
			word = "mean"
		}
		panels := m.perPathPanels(func(r *Run) []average { return r.statistics(metric, statsOf(s)...) }, barPart, meanBar)
		for _, p := range panels {
			p.Y = m.statLabel(metric, s, word)
			if p.metric = p.Y; stat == "" { // a row for each path, and a column for each statistic
				p.metric, p.Strip, p.Head = metric+p.Head, p.Head, word
			}
			out = append(out, p)
		}
	}
	return out
}

// group returns the group of a run's bar and its method within the group. If the names of
// scenarios have no factors, each scenario is a group.
func (m *maker) group(r *Run) (group, method string) {
	if m.options.X != "" {
		return r.x, r.Scenario
	}
	for name := range maps.Keys(m.numbers) {
		if rest, last := parts(name); rest == "" || last == "" {
			return r.Scenario, ""
		}
	}
	return parts(r.Scenario)
}

// sharesFigure has bars for the bytes that each path carried, and for the bytes that were sent
// again on it: retransmitted, or reinjected onto it.
func sharesFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title("What each path carried")}
	for _, r := range m.runs {
		if d := r.dir(); d.Bytes == nil && len(d.Paths) > 0 {
			return nil, fmt.Errorf("%w: what each path carried is not known%s", ErrEmpty, r.reason("bytes"))
		}
	}
	names, carried := m.shown()
	for _, x := range []struct {
		name string
		of   func(*report.PathShare) float64
	}{
		{"Payload", func(s *report.PathShare) float64 { return float64(report.Known(s.Bytes)) }},
		{"Retransmitted", func(s *report.PathShare) float64 { return float64(s.RetransmittedBytes) }},
		{"Reinjected", func(s *report.PathShare) float64 { return float64(report.Known(s.ReinjectedBytes)) }},
	} {
		var list []sample
		some := f.Panels == nil
		for _, r := range m.runs {
			sums := carried(r, x.of)
			for _, path := range names { // a run that lacks one carried 0 bytes over it
				some = some || sums[path] > 0
				list = append(list, m.byPathOrScenario(r, path, sums[path]))
			}
		}
		if p := m.grouped(list, barPart, meanBar); some {
			p.Y, p.bytes = x.name, true
			f.Panels = append(f.Panels, p)
		}
	}
	if len(m.runs) == 1 {
		percent := carried(m.runs[0], func(s *report.PathShare) float64 { return report.Known(s.Percent) })
		for i, name := range f.Panels[0].Names {
			if v := percent[name]; v > 0 {
				f.Panels[0].Names[i] += ", " + threeDigits(v) + " %"
			}
		}
	}
	return f, nil
}

// mostPaths is the largest number of paths that have a bar each. Where there are more, those with the least data have one together.
const mostPaths = 9

// shown returns the names of the bars of paths, and a function that returns the sums of a figure of a run's shares by these names.
// The paths with the least data have one name if there are many.
func (m *maker) shown() (names []string, carried func(*Run, func(*report.PathShare) float64) map[string]float64) {
	sums := map[string]float64{}
	for _, r := range m.runs {
		for i := range r.dir().Paths {
			s := &r.dir().Paths[i]
			names = campaign.Once(names, s.Path)
			sums[s.Path] += float64(report.Known(s.Bytes))
		}
	}
	if n := len(names); n > mostPaths {
		names = append(largest(names, mostPaths-1, func(p string) float64 { return sums[p] }), fmt.Sprintf("others: %d paths", n-mostPaths+1))
	}
	return names, func(r *Run, of func(*report.PathShare) float64) map[string]float64 {
		out := map[string]float64{}
		for i := range r.dir().Paths {
			name := r.dir().Paths[i].Path
			if !slices.Contains(names, name) {
				name = names[len(names)-1]
			}
			out[name] += of(&r.dir().Paths[i])
		}
		return out
	}
}

// barPart is the part of the width of a place that a bar takes.
const barPart = 0.9

// confidence of the error bars, as of the intervals that compare prints.
const confidence = 0.95

// meanBar returns a bar with the mean of the runs. If there are several runs, it has an error bar,
// the interval of the mean, and each run is a dot. The value stands above all of them.
func meanBar(a look, at, width float64, values []float64) []Layer {
	m := mean(values)
	l := Layer{Shape: Bars, Width: width, XY: []Coord{{at, min(0, m), max(0, m)}}}
	l.wear(a)
	text := Layer{Shape: Texts, Width: l.Width, XY: []Coord{{at, m, max(0, m)}}, Labels: []string{threeDigits(m)}}
	if len(values) == 1 {
		return []Layer{l, text}
	}
	ci := stats.MeanInterval(values, confidence)
	interval := Layer{Name: "95 % interval of the mean", Shape: Intervals, Colour: palette.Total, Width: l.Width / 3, XY: []Coord{{at, ci[0], ci[1]}}}
	dots := Layer{Shape: Dots, Mark: Disc, Colour: faint}
	for _, v := range values {
		dots.XY = append(dots.XY, Coord{at - l.Width/4, v, v})
	}
	text.XY[0].Hi = max(text.XY[0].Hi, ci[1], slices.Max(values))
	return []Layer{l, dots, interval, text}
}

func mean(v []float64) float64 { return floats.Sum(v) / float64(len(v)) }

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

// threeDigits returns a number with three digits, for a label.
func threeDigits(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size < 0.1:
		return fmt.Sprintf("%.2g", v)
	case size < 9.995: // 9.996 is 10.0
		return fmt.Sprintf("%.2f", v)
	case size < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
