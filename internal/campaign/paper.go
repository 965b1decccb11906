package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// Match returns the figures that any run has and that fit a pattern: a figure's
// name in which "*" stands for any text, or a metric by any name that
// [metrics.Resolve] knows, perhaps followed by a statistic, which is the average
// otherwise.
func (s *Set) Match(pattern string, d report.Direction) []string {
	found := map[string]bool{}
	var metric, stat string
	if name, err := metrics.Resolve(pattern); err == nil {
		metric, stat, _ = strings.Cut(name, ".")
	}
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline) {
		for _, m := range sc.Runs {
			for _, name := range m.Names {
				if !found[name] {
					found[name] = wildcard(pattern, name) || metric != "" && strings.HasPrefix(name, string(d)+".") && isStat(name, metric, stat)
				}
			}
		}
	}
	var out []string
	for name, ok := range found {
		if ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// isStat reports whether a figure is that statistic of that metric.
func isStat(figure, metric, want string) bool {
	m, stat := metricOf(figure)
	if m.Name != metric && m.JSON != metric {
		return false
	}
	return stat == want || want == "" && stat == "avg"
}

// wildcard reports whether text fits pattern, in which "*" stands for any
// text.
func wildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[last])
}

func (s *Set) has(figure string) bool {
	for _, sc := range s.Scenarios {
		for _, m := range sc.Runs {
			if _, ok := m.Figure(figure); ok {
				return true
			}
		}
	}
	return false
}

// paths returns the labels of all paths, sorted.
func (s *Set) paths() (out []string) {
	for _, sc := range s.Scenarios {
		out = append(out, pathsOf(sc)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// MetricTable has a row per figure and a column per scenario, mean ± standard
// deviation in each cell: the shape of FI23's Table 3 and FED23's Table 1.
func MetricTable(result *Result, l *Layout) *Table {
	t := &Table{Corner: []string{"metric", "", "unit"}, Parts: []string{"mean", "stddev", "ci95_low", "ci95_high", "runs"}}
	var names []string
	for _, s := range result.Scenarios {
		names = append(names, s.Name)
	}
	var order []int
	t.Columns, order = headings(names)
	for _, f := range l.Figures {
		row := Row{Heads: l.heads(f)}
		c := result.comparison(f)
		for _, i := range order {
			s := &result.Scenarios[i]
			cell := Cell{}
			if a, ok := l.value(s, f); ok {
				cell.Text = plusMinus(a)
				cell.Numbers = []float64{a.Mean, a.Stddev, a.CI95[0], a.CI95[1], float64(a.Runs)}
				cell.Best = c != nil && c.winsClearly() && c.Winner == s.Name
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append(slices.Clone(l.Notes), l.winners(result.Comparisons)...)
	return t
}

// noiseNote says what [noise] stands for.
var noiseNote = fmt.Sprintf("%s: no more than noise (Mann-Whitney, Holm over the pairs of a row, p >= %.2g)", noise, significance)

// winners says of each figure who wins it, and over whom.
func (l *Layout) winners(all []Comparison) (notes []string) {
	for i := range all {
		c := &all[i]
		if c.Winner == "" || !slices.Contains(l.Figures, c.Metric) {
			continue
		}
		head := rowName(l.heads(c.Metric))
		others := len(c.Pairs) // of k scenarios k(k-1)/2 pairs
		k := int(math.Round((1 + math.Sqrt(1+8*float64(others))) / 2))
		switch {
		case c.winsClearly():
			notes = append(notes, fmt.Sprintf("%s: %s wins", head, c.Winner))
		case len(c.Peers) == k-1:
			notes = append(notes, fmt.Sprintf("%s: %s %s all others", head, c.Winner, noise))
		default:
			notes = append(notes, fmt.Sprintf("%s: %s %s %s", head, c.Winner, noise, strings.Join(c.Peers, ", ")))
		}
	}
	if len(notes) > 0 {
		notes = append(notes, noiseNote)
	}
	return notes
}

// heads names a figure's row: metric with path, statistic as papers write it,
// unit.
func heads(figure string) []string {
	m, stat := metricOf(figure)
	if m.Name == "" {
		return []string{figure, "", ""}
	}
	name := strings.ReplaceAll(m.Name, "_", " ")
	middle := strings.TrimSuffix(figure, stat)
	middle = strings.TrimSuffix(strings.TrimSuffix(middle, "."), m.JSON)
	_, path, _ := strings.Cut(strings.TrimSuffix(middle, "."), ".")
	if path != "" {
		name += " " + path
	}
	unit := m.Unit
	if unit == metrics.Composite || unit == "1" || stat == "samples" {
		unit = ""
	}
	if stat == "percent" || stat == "discontinuous_percent" {
		unit = "percent"
	}
	if stat == "cov" {
		unit = ""
	}
	if stat == "variance" {
		unit = squared(unit)
	}
	if stat == "avg" || stat == "cell_mean" {
		stat = "av"
	}
	return []string{name, strings.ReplaceAll(stat, "_", " "), unit}
}

// squared is the square of a unit.
func squared(unit string) string {
	if strings.Contains(unit, "/") {
		unit = "(" + unit + ")"
	}
	return unit + "²"
}

// plusMinus is a mean with four significant digits and its standard deviation
// to the same decimals; of a single run, which has none, the value.
func plusMinus(a Aggregate) string {
	if a.Runs == 1 {
		return digits(a.Mean)
	}
	n := decimals(max(math.Abs(a.Mean), a.Stddev))
	return fixed(a.Mean, n) + " ± " + fixed(a.Stddev, n)
}

// digits is v with four significant digits, but no fewer than the integer part
// has and no more than three decimals; none of a whole number.
func digits(v float64) string {
	if v == math.Trunc(v) {
		return fixed(v, 0)
	}
	return fixed(v, decimals(math.Abs(v)))
}

// decimals is how many of them make four significant digits of a positive
// number.
func decimals(v float64) int {
	switch {
	case v < 9.9995:
		return 3
	case v < 99.995:
		return 2
	case v < 999.95:
		return 1
	}
	return 0
}

// fixed is v with so many decimals; what rounds to zero has no sign.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
