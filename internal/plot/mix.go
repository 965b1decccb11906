package plot

import (
	"fmt"

	"mpanalyze/internal/report"
)

// mixFigure has, for each scenario, the shares of the paths, and the segments that each path lost.
func mixFigure(m *maker, _ []string) (*Figure, error) {
	share := m.carried("Share of the data (%)", func(r *Run, path string) (float64, bool) {
		for i := range r.dir().Paths {
			if s := &r.dir().Paths[i]; s.Path == path && s.Percent != nil {
				return *s.Percent, true
			}
		}
		return 0, len(r.dir().Paths) > 0
	})
	lost := m.carried("Lost segments", (*Run).lost)
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
	return r.subDir(&r.connection().Subflows[i])
}

// carried draws a value of each path and scenario. If each scenario is one run, these are the
// parts of a stack. Means of several runs stand side by side, because each has an error of its
// own. It ignores runs without a value.
func (m *maker) carried(y string, value func(r *Run, path string) (float64, bool)) (p Panel) {
	var list []sample
	runs := map[string]int{}
	for _, r := range m.runs {
		runs[r.Scenario]++
		for _, path := range m.looks.order {
			if v, ok := value(r, path); ok {
				list = append(list, sample{r.Scenario, average{path, v}})
			}
		}
	}
	if len(runs) == len(m.runs) {
		p = m.stack(list)
	} else {
		p = m.pathBars(list, 1)
	}
	p.Y = y
	return p
}

// stack draws one bar for each scenario with a part for each path.
func (m *maker) stack(list []sample) Panel {
	p := Panel{Names: make([]string, len(m.numbers))}
	for name, i := range m.numbers {
		p.Names[i] = name
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "this run"
	}
	base := make([]float64, len(p.Names))
	for _, path := range m.looks.order {
		l := Layer{Name: path, Shape: Bars, Width: 0.6}
		l.wear(m.looks.path(path))
		for _, s := range list {
			if i := m.numbers[s.scenario]; s.path == path && s.value > 0 {
				l.XY = append(l.XY, Coord{float64(i), base[i], base[i] + s.value})
				base[i] += s.value
			}
		}
		if len(l.XY) > 0 {
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}
