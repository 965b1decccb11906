package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/textwrap"
)

// mixes reports whether some metrics have curves of paths and others do not.
func (m *maker) mixes(names []string) bool {
	with, without := false, false
	for _, name := range names {
		paths := m.paths(name, true)
		some := slices.ContainsFunc(paths, func(p string) bool { return p != "" })
		with, without = with || some, without || len(paths) > 0 && !some
	}
	return with && without
}

// metricsFigure has the panels of the kind for each metric.
func (k *Kind) metricsFigure(m *maker, names []string) (*Figure, error) {
	if m.pooled && m.options.Cell <= 0 {
		return nil, fmt.Errorf("%w: curves of runs are compared in cells, and have no width of a cell", ErrEmpty)
	}
	f, err := m.perMetric(k.title, names, func(name string) []Panel {
		if k.panel != nil {
			return k.onPaths(m, name)
		}
		return k.panels(m, name)
	})
	if err != nil {
		return nil, err
	}
	f.LogY = m.above
	if k.figures {
		var shown []string
		for i := range f.Panels {
			shown = campaign.Once(shown, f.Panels[i].Y)
		}
		f.about = fmt.Sprintf("%s: %s of %s", f.Title, strings.Join(shown, ", "), textwrap.Count(m.total, "run"))
	}
	if !k.lines || !m.byPath {
		f.Columns = k.columns
	}
	switch several := m.total > len(m.numbers) && !m.each; {
	case several && k.dist:
		f.explain(fmt.Sprintf("runs of a scenario are pooled, %d in all, with their range", m.total))
	case several && m.pooled:
		f.explain(fmt.Sprintf("mean and range of the runs of each scenario, %d in all", m.total))
	}
	f.explain(m.cellNotes()...)
	if m.coarse {
		f.Notes = append(f.Notes, fmt.Sprintf("a figure has no room for that many cells: they are %s long, and show the mean of the values in them", duration(m.options.Cell)))
	}
	if m.pooled {
		f.Notes = append(f.Notes, m.endNotes()...)
	}
	return f, nil
}

// perMetric makes a figure of the panels of each metric.
func (m *maker) perMetric(title string, names []string, panels func(name string) []Panel) (*Figure, error) {
	f := &Figure{Title: m.title(title)}
	for _, name := range names {
		f.add(m, name, name, panels(name))
	}
	return f.some()
}

// add adds the panels of a metric. Empty ones are left out; if all are empty, the figure says that there is nothing of this name.
func (f *Figure) add(m *maker, name, metric string, panels []Panel) {
	some := slices.DeleteFunc(panels, func(p Panel) bool { return len(p.Layers) == 0 })
	if len(some) == 0 {
		f.Missing = append(f.Missing, fmt.Sprintf("no %s in %s%s", name, m.where(), m.runs[0].reason(metric)))
	}
	for i := range some {
		some[i].metric = cmp.Or(some[i].metric, metric)
	}
	f.Panels = append(f.Panels, some...)
}

// some returns the figure. If it has no panel, the error says why.
func (f *Figure) some() (*Figure, error) {
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("%w; %s", ErrEmpty, strings.Join(f.Missing, "; "))
	}
	return f, nil
}

func (m *maker) where() string {
	return fmt.Sprintf("connection %d, %s", m.runs[0].Connection, m.runs[0].Direction)
}
