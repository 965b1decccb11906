package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// FigureOf returns the figure of the connection in a direction that a name stands for, as in goodput
// or srtt.p95; empty where no run has one.
func (s *Set) FigureOf(name string, d report.Direction) string {
	for _, pattern := range []string{name, string(d) + "." + name} {
		if found := s.Match(pattern, d); len(found) > 0 {
			// The shortest name is the connection's figure, the others are figures of its paths.
			return slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) })
		}
	}
	return ""
}

// MedianRuns returns of each scenario the run whose figure is closest to the median of the scenario,
// the first of several. It says which run that is. It fails where no run of a scenario has the figure.
func (s *Set) MedianRuns(figure string) (kept []*Member, said []string, err error) {
	name := rowName(heads(figure))
	for _, sc := range s.Scenarios {
		values := sc.values(figure)
		if len(sc.Runs) == 0 {
			continue
		}
		if len(values) == 0 {
			return nil, nil, fmt.Errorf("no run of %s has %s", sc.Name, name)
		}
		median := stats.Summarize(values).Median
		closest := slices.MinFunc(values, func(a, b float64) int { return cmp.Compare(math.Abs(a-median), math.Abs(b-median)) })
		at := slices.IndexFunc(sc.Runs, func(m Member) bool { v, ok := m.Figure(figure); return ok && v == closest })
		best := &sc.Runs[at]
		kept = append(kept, best)
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s: run %s is drawn, the closest to the median of %d: %s %s of %s %s",
			sc.Name, best.Name, len(values), name, digits(closest), digits(median), unitOf(figure))))
	}
	return kept, said, nil
}
