package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/textwrap"
)

// MetricTable has a row for each figure and a column for each scenario, with mean ± standard
// deviation of the sample in each cell: the form of FI23's Table 3 and FED23's Table 1.
func MetricTable(result *Result, l *Layout) *Table {
	t := &Table{Corner: []string{"metric", "", "unit"}, About: aboutFigure, Parts: []string{"mean", "sample_stddev", "ci95_low", "ci95_high", "runs"}}
	if len(result.Changes) > 0 {
		t.Parts = append(t.Parts, "baseline_p", "baseline_effect")
	}
	l.fill(t, result, l.Figures, func(f string, s *Summary, a Aggregate, _ *Comparison) Cell {
		cell := Cell{Text: l.Style.plusMinus(a)}
		spread, ci := math.NaN(), [2]float64{math.NaN(), math.NaN()}
		if a.SampleStddev != nil {
			spread, ci = *a.SampleStddev, *a.CI95
		}
		cell.Numbers = []float64{a.Mean, spread, ci[0], ci[1], float64(a.Runs)}
		if x := result.change(f, s.Name); x != nil && x.P != nil {
			cell.Numbers = append(cell.Numbers, *x.PCorrected, *x.Effect)
		}
		return cell
	})
	if b := result.baseline(); b != "" {
		t.Better = "better than " + b
	}
	t.Caption = captionOf(result, l)
	t.Notes = append(slices.Clone(l.Notes), l.winnerNotes(result.Comparisons)...)
	return t
}

// aboutFigure names the columns of a CSV file that say which figure of reports a row shows, whose
// captures it comes from, and the cell of the sampling grid that it depends on.
var aboutFigure = []string{"figure", "end", "cell"}

// fill gives a table a column for each scenario and a row for each figure, with its tests. It asks
// for the cell of each figure that a scenario has; the comparison may be nil.
func (l *Layout) fill(t *Table, r *Result, figures []string, of func(figure string, s *Summary, a Aggregate, c *Comparison) Cell) {
	var order []int
	t.Columns, order = headings(r.Scenarios)
	t.Tests = r.testGroups()
	for _, f := range figures {
		row := l.row(f)
		for _, i := range order {
			s, cell := &r.Scenarios[i], Cell{}
			if a, ok := l.value(s, f); ok {
				c := r.comparison(f, s.Name)
				cell = of(f, s, a, c)
				cell.Best = c != nil && c.best(s.Name)
			}
			row.Cells = append(row.Cells, cell)
		}
		row.Tests = r.rowTests(f, t.Tests)
		t.Rows = append(t.Rows, row)
	}
}

// row begins the row of a figure.
func (l *Layout) row(figure string) Row {
	return Row{Heads: l.heads(figure), About: []string{figure, l.ends[figure], l.cells[figure]}}
}

// captionOf describes the cells of a table of figures: the number of runs that the means are
// over, and the kind of spread.
func captionOf(result *Result, l *Layout) string {
	least, most := 0, 0
	for i := range result.Scenarios {
		for _, f := range l.Figures {
			if a, ok := l.value(&result.Scenarios[i], f); ok {
				if least == 0 || a.Runs < least {
					least = a.Runs
				}
				most = max(most, a.Runs)
			}
		}
	}
	over := textwrap.Count(most, "run")
	if least < most {
		over = fmt.Sprintf("%d to %d runs", least, most)
	}
	text := "mean ± standard deviation of the sample over " + over
	switch {
	case most == 0:
		return ""
	case most == 1:
		text = "values of single runs"
	case l.Style.NoSpread:
		text = "means over " + over
	}
	text = joined(text, l.end)
	if l.Style.Symbols {
		text = joined(text, strings.Join(l.legend, ", "))
	}
	return text
}

// joined joins two parts of a caption; either may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// winnerNotes returns a note for each figure: which scenario wins, which others differ from it
// by no more than noise, and for which others there are too few runs to tell.
func (l *Layout) winnerNotes(all []Comparison) (notes []string) {
	for i := range all {
		c := &all[i]
		if c.Baseline != "" && slices.Contains(l.Figures, c.Metric) {
			notes = append(notes, rowName(l.heads(c.Metric))+": "+c.againstText())
			continue
		}
		if c.Winner == "" || !slices.Contains(l.Figures, c.Metric) {
			continue
		}
		head := rowName(l.heads(c.Metric)) + ": " + c.Winner
		if c.winsClearly() {
			notes = append(notes, head+" wins")
			continue
		}
		for _, some := range []struct {
			mark  string
			names []string
		}{{noise, c.Peers}, {unknown, c.CannotTell}} {
			if len(some.names) > 0 {
				head += " " + listed(some.mark, some.names, c.others())
			}
		}
		notes = append(notes, head)
	}
	if len(notes) > 0 {
		notes = append(notes, markNotes(all)...)
	}
	for i := range all {
		if c := &all[i]; c.SingleRun != "" && slices.Contains(l.Figures, c.Metric) {
			notes = Once(notes, "no test of a row and no size of an effect: "+c.SingleRun+" has a single run")
		}
	}
	return notes
}

// listed puts names behind a word; "all others" for as many as there are.
func listed(word string, names []string, all int) string {
	if len(names) == all {
		return word + " all others"
	}
	return word + " " + strings.Join(names, ", ")
}

// others returns how many scenarios the winner is compared with.
func (c *Comparison) others() (n int) {
	for _, p := range c.Pairs {
		if p.A == c.Winner || p.B == c.Winner {
			n++
		}
	}
	return n
}

// heads returns the headings of a figure's row: the metric with its path, the statistic as
// papers write it, the unit.
func heads(figure string) []string {
	if path, name, stat, ok := kernelFigure(figure); ok {
		return kernelHeads(path, name, stat)
	}
	m, stat := metricOf(figure)
	if m.Name == "" {
		return []string{figure, "", ""}
	}
	name := strings.ReplaceAll(m.Name, "_", " ")
	_, path, _ := splitFigure(figure)
	if path != "" {
		name += " " + path
	}
	return []string{name, statName(stat), unitOf(figure)}
}

// statName names a statistic of a run as papers do. Two means, and the deviation within a run
// that is no deviation of runs, have the names that tell them apart.
func statName(stat string) string {
	switch stat {
	case "avg":
		return "av"
	case "cell_mean":
		return stat
	case "stddev":
		return "stddev (population)"
	}
	stat = strings.TrimSuffix(stat, ".percent") // the unit says it
	return strings.ReplaceAll(stat, "_", " ")
}

// squared returns the square of a unit.
func squared(unit string) string {
	if strings.Contains(unit, "/") {
		unit = "(" + unit + ")"
	}
	return unit + "²"
}
