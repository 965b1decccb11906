package plot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
)

// What rows and columns of panels, and colours, can stand for, beside the factors of scenarios and the labels of runs.
const (
	ByScenario = "scenario"
	ByPath     = "path"
	ByRun      = "run"    // each run of a scenario
	ByMetric   = "metric" // rows and columns only
)

// Facets say what the rows and the columns of panels stand for: [ByScenario], [ByPath], [ByRun], [ByMetric], or the name of a
// factor or of a label of the runs. Empty stands for what the kind of figure chooses.
type Facets struct{ Row, Column string }

// part is a part of the runs. Its panels stand where a row and a column meet.
type part struct {
	row, column string
	runs        []*Run
}

// split returns the runs of each facet. The scenario of a run is then what colours stand for: the factor that the options name,
// or what its name has beside the facets. Runs that become one scenario are pooled.
func (k *Kind) split(runs []*Run) (out []part, err error) {
	by, settings := k.Options.Facet, k.settings(runs)
	numbers := map[string]int{}
	for i, r := range runs {
		numbers[r.Scenario]++
		first := placed{Run: *r, number: numbers[r.Scenario]}
		if by == (Facets{}) {
			first.at[1], first.Scenario = settings[i].column, settings[i].scenario
		}
		list := []placed{first}
		for axis, name := range []string{by.Row, by.Column, k.Options.X} {
			var next []placed
			for _, p := range list {
				some, err := p.in(axis, name)
				if err != nil {
					return nil, err
				}
				next = append(next, some...)
			}
			list = next
		}
		for _, p := range list {
			one := &p.Run
			one.x = p.at[2]
			if err := one.colour(k.Options.Color); err != nil {
				return nil, err
			}
			i := slices.IndexFunc(out, func(o part) bool { return o.row == p.at[0] && o.column == p.at[1] })
			if i < 0 {
				i, out = len(out), append(out, part{row: p.at[0], column: p.at[1]})
			}
			out[i].runs = append(out[i].runs, one)
		}
	}
	return out, nil
}

// settings returns what each run stands for, if the user named no facets: one panel would be unreadable with the data
// sequences of all scenarios, or with more curves than there are colours or dashes. Networks of pairs have a column each, too.
func (k *Kind) settings(runs []*Run) []setting {
	if k.loose {
		return networks(runs)
	}
	var names []string
	for _, r := range runs {
		names = campaign.Once(names, r.Scenario)
	}
	most := len(names)
	switch byPath := k.pathColours(len(names) > 1); {
	case k.views != nil || k.dist && byPath:
		most = 1
	case k.lines && byPath:
		most = len(dashes)
	case k.lines || k.dist:
		most = mostCurves
	}
	out := make([]setting, len(runs))
	for i, r := range runs {
		s := &out[i]
		s.scenario = r.Scenario
		if len(names) <= most {
			continue
		}
		if s.column, _ = parts(r.Scenario); most != mostCurves || s.column == "" {
			s.column = r.Scenario
		}
		s.scenario = strings.TrimPrefix(strings.TrimPrefix(r.Scenario, s.column), "/") // its name begins with its column
	}
	return out
}

// pathColours reports whether colours stand for paths. several says that there are several scenarios, for which they may stand.
func (k *Kind) pathColours(several bool) bool {
	switch k.Options.Color {
	case ByPath:
		return true
	case "", ByRun:
		return k.colour == ByPath || k.dist && !several
	}
	return false
}

// mostCurves is the largest number of scenarios whose curves stand in one panel.
const mostCurves = 8

// placed is a run, or what it has of a path, with its row, its column and its place on the horizontal axis.
type placed struct {
	Run
	at     [3]string
	number int // of the run in its scenario
}

// in returns the run at its value of what an axis stands for, or at each of its paths. The name of its scenario is then without
// the value.
func (p placed) in(axis int, name string) ([]placed, error) {
	switch name {
	case "", ByMetric:
	case ByScenario:
		p.at[axis], p.Scenario = p.Scenario, ""
	case ByRun:
		p.at[axis] = fmt.Sprintf("run %d", p.number)
	case ByPath:
		var out []placed
		for i := range p.connection().Subflows {
			path := p.connection().Subflows[i].Path
			if !slices.ContainsFunc(out, func(o placed) bool { return o.only == path }) {
				p.at[axis], p.only = path, path
				out = append(out, p)
			}
		}
		return out, nil
	default:
		value, err := p.factor(name)
		if err != nil {
			return nil, err
		}
		p.at[axis] = value
		rest := slices.DeleteFunc(slices.Clone(p.Factors), func(f campaign.Factor) bool { return f.Name == name })
		if len(rest) < len(p.Factors) { // a label is not part of the name
			var values []string
			for _, f := range rest {
				values = append(values, f.Value)
			}
			p.Factors, p.Scenario = rest, strings.Join(values, "/")
		}
	}
	return []placed{p}, nil
}

// factor returns the value of a factor of the run's scenario, or of a label of the run.
func (r *Run) factor(name string) (string, error) {
	if v, ok := r.Labels[name]; ok {
		return v, nil
	}
	has := "it has none"
	if names := slices.Sorted(maps.Keys(r.Labels)); len(names) > 0 {
		has = "it has " + strings.Join(names, ", ")
	}
	return "", fmt.Errorf("%sa run has no factor or label %q: %s; --pattern names factors, as in '{mptcp}/{tcp}/run{run}/{host}.pcap'", of(r.Scenario), name, has)
}

// colour makes the value of a factor the scenario, for which colours stand.
func (r *Run) colour(name string) (err error) {
	if name != "" && name != ByScenario && name != ByPath && name != ByRun {
		r.Scenario, err = r.factor(name)
	}
	return err
}

// Make returns the figure of the runs. [Run.Resolve] must have been called for each. It returns
// [ErrEmpty] if there is nothing to draw.
func (k *Kind) Make(runs []*Run, names []string) (*Figure, error) {
	if len(runs) == 0 {
		return nil, ErrEmpty
	}
	split, err := k.split(runs)
	if err != nil {
		return nil, err
	}
	if len(split) == 0 {
		return nil, ErrEmpty
	}
	m := newMaker(split, k)
	m.total = len(runs)
	m.choose(k, k.names(names))
	f, draw := &Figure{}, k.make
	switch {
	case k.views != nil:
		draw = k.viewsFigure
	case k.panels != nil || k.panel != nil:
		draw = k.metricsFigure
	}
	var empty error
	for _, p := range split {
		one := m.of(p.runs)
		g, err := draw(one, k.names(names))
		switch {
		case errors.Is(err, ErrEmpty):
			empty = errors.Join(empty, err)
			continue
		case err != nil:
			return nil, err
		}
		one.finish(g)
		k.place(g, &p)
		f.join(g)
	}
	if len(f.Panels) == 0 {
		return nil, cmp.Or(empty, ErrEmpty)
	}
	if empty != nil { // a facet is not left out without a word
		f.Missing = append(f.Missing, strings.Split(empty.Error(), "\n")...)
	}
	var metrics []string
	for i := range f.Panels {
		metrics = campaign.Once(metrics, f.Panels[i].metric)
	}
	if !k.loose { // rows of one metric follow each other
		slices.SortStableFunc(f.Panels, func(a, b Panel) int {
			return cmp.Compare(slices.Index(metrics, a.metric), slices.Index(metrics, b.metric))
		})
	}
	m.addOverlays(f)
	m.addEnd(f, k, names)
	f.chooseUnits()
	f.shareSides()
	for _, l := range f.layers() {
		if len(l.XY) > 0 {
			return f, nil
		}
	}
	return nil, runs[0].nothingShown()
}

// join adds the panels of a part. The first part has the title of all.
func (f *Figure) join(g *Figure) {
	if len(f.Panels) == 0 {
		*f = *g
		return
	}
	f.Panels = append(f.Panels, g.Panels...)
	f.Columns, f.High = max(f.Columns, g.Columns), max(f.High, g.High)
	if g.Font > 0 && (f.Font == 0 || g.Font < f.Font) {
		f.Font = g.Font
	}
	for i, to := range []*[]string{&f.Missing, &f.Notes} {
		for _, text := range [][]string{g.Missing, g.Notes}[i] {
			*to = campaign.Once(*to, text)
		}
	}
}

// finish marks the events in panels over time that show one run, and lets the axes of time begin with the figure.
func (m *maker) finish(f *Figure) {
	for i := range f.Panels {
		p := &f.Panels[i]
		if p.X != timeLabel {
			continue
		}
		p.From = float64(m.runs[0].From) / 1e9
		if len(m.runs) == 1 && p.Rows == nil && len(p.Layers) > 0 && !m.options.NoEvents {
			p.Moments = m.moments(m.runs[0], p.metric)
		}
	}
}

// place gives the panels of a part their rows and columns. Panels of a metric stand in one row, and those of a path or of a
// scenario in one column, if the user named nothing else.
func (k *Kind) place(f *Figure, at *part) {
	by := k.Options.Facet
	first, several := "", false // the head of a path, and whether there are others
	for i := range f.Panels {
		head := f.Panels[i].Head
		several = several || i > 0 && head != f.Panels[0].Head
		first = cmp.Or(first, head)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		switch {
		case by != (Facets{}):
		case k.loose:
			p.Head = joined(at.column, p.Head)
			continue // panels follow each other
		case at.row+at.column == "" && (p.Head == "" || !several):
			continue
		}
		row, column, under := at.row, at.column, cmp.Or(p.Head, first) // a panel of the connection stands below those of the first path
		switch {
		case by == (Facets{}) && first != "":
			row, column = column, p.Head
		case by.Row == ByPath || by.Column == ByPath:
			under = ""
		case by.Row == "" && by.Column != "":
			row, under = joined(row, p.Head), ""
		default:
			column, under = joined(column, p.Head), joined(column, under)
		}
		metric := cmp.Or(p.metric, p.Y)
		p.Strip, p.Head, p.Row, p.Column = cmp.Or(row, p.Strip), column, row+metric, cmp.Or(under, column)
		if by.Column == ByMetric {
			p.Row, p.Column = row, column+metric
		}
	}
}

// joined joins two names; either may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
