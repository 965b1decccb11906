package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

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
		for i := range some {
			some[i].metric = cmp.Or(some[i].metric, name)
		}
		f.Panels = append(f.Panels, some...)
	}
	if len(f.Panels) == 0 {
		return nil, emptyBecause(f.Missing)
	}
	return f, nil
}

// emptyBecause says that there is nothing to draw, and why.
func emptyBecause(missing []string) error {
	return fmt.Errorf("%w; %s", ErrEmpty, strings.Join(missing, "; "))
}

// drawn returns the panels that are not empty.
func drawn(all []Panel) []Panel {
	return slices.DeleteFunc(all, func(p Panel) bool { return len(p.Layers) == 0 })
}

func (m *maker) where() string {
	return fmt.Sprintf("connection %d, %s", m.runs[0].Connection, m.runs[0].Direction)
}
