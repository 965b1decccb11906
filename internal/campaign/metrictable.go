package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
)

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
	t.Notes = append(slices.Clone(l.Notes), l.winnerNotes(result.Comparisons)...)
	return t
}

// noiseNote says what [noise] stands for.
var noiseNote = fmt.Sprintf("%s: no more than noise (Mann-Whitney, Holm over the pairs of a row, p >= %.2g)", noise, significance)

// winnerNotes returns a note for each figure: which scenario wins it, over which others.
func (l *Layout) winnerNotes(all []Comparison) (notes []string) {
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

// heads returns the headings of a figure's row: metric with path, statistic as papers
// write it, unit.
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
	if unit == catalogue.Composite || unit == "1" || stat == "samples" {
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
