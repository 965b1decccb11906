package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mixes reports whether some metrics have values for paths and others do not.
func (m *maker) mixes(names []string) bool {
	with, without := false, false
	for _, name := range names {
		paths, whole := m.pathsWith(name)
		with, without = with || len(paths) > 0, without || len(paths) == 0 && whole
	}
	return with && without
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
