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

// ChangeTable has a row per figure that has a baseline.
func ChangeTable(changes []Change) *Table {
	t := &Table{
		Corner:  []string{"scenario", "metric", "", "unit"},
		Columns: []Column{{"mean", "before"}, {"mean", "after"}, {"change", "percent"}, {"change", "interval"}, {"", "verdict"}},
		Parts:   []string{""},
	}
	for i := range changes {
		c := &changes[i]
		name := c.Scenario
		if c.Baseline != c.Scenario {
			name += " against " + c.Baseline
		}
		percent := Cell{}
		if c.Percent != nil {
			percent = Cell{Text: signed(*c.Percent) + "%", Numbers: []float64{*c.Percent}}
		}
		t.Rows = append(t.Rows, Row{
			Heads: append([]string{name}, heads(c.Metric)...),
			Cells: []Cell{
				{Text: digits(c.Before), Numbers: []float64{c.Before}},
				{Text: digits(c.After), Numbers: []float64{c.After}},
				percent,
				{Text: c.interval()},
				{Text: c.Verdict},
			},
		})
	}
	return t
}

// interval is that of the difference, in percent where there is one.
func (c *Change) interval() string {
	if c.PercentCI != nil {
		return fmt.Sprintf("%s%% to %s%%", signed(c.PercentCI[0]), signed(c.PercentCI[1]))
	}
	return signed(c.DifferenceCI[0]) + " to " + signed(c.DifferenceCI[1])
}

// Line is the change in one line.
func (c *Change) Line() string {
	return fmt.Sprintf("%s from %s to %s (%s)", c.Metric, digits(c.Before), digits(c.After), c.interval())
}

func signed(v float64) string {
	text := digits(v)
	if v > 0 && text != "0" {
		return "+" + text
	}
	return text
}

// GainTable has a row per figure and a column per scenario: how much better,
// in percent, its mean is than that of the reference, the first scenario unless
// one is named (REC16). Figures that improve neither way are left out.
func GainTable(r *Result, figures []string, reference string) (*Table, error) {
	ref := slices.IndexFunc(r.Scenarios, func(s Summary) bool { return s.Name == reference })
	if reference == "" {
		ref = 0
	}
	if ref < 0 {
		return nil, fmt.Errorf("--reference %q: no such scenario", reference)
	}
	t := &Table{Corner: []string{"metric", "", "unit"}, Parts: []string{"mean", "gain_percent"}}
	names := make([]string, len(r.Scenarios))
	for i := range names {
		names[i] = r.Scenarios[i].Name
	}
	var order []int
	t.Columns, order = headings(names)
	for _, f := range figures {
		way := better(f)
		if way == metrics.NeitherIsBetter {
			continue
		}
		row := Row{Heads: heads(f)}
		base, known := r.Scenarios[ref].Metrics[f]
		for _, i := range order {
			a, ok := r.Scenarios[i].Metrics[f]
			cell := Cell{}
			switch {
			case !ok:
			case i == ref || !known || base.Mean == 0:
				cell = Cell{Text: digits(a.Mean), Numbers: []float64{a.Mean}}
			default:
				gain := 100 * (a.Mean - base.Mean) / math.Abs(base.Mean)
				if way == metrics.LowerIsBetter {
					gain = -gain
				}
				cell = Cell{Text: fmt.Sprintf("%s (%s%%)", digits(a.Mean), signed(gain)), Numbers: []float64{a.Mean, gain}}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"in brackets: gain over " + r.Scenarios[ref].Name + ", positive where better"}
	return t, nil
}

// SpreadTable has a row per environment, the scenario, and metric, and columns
// for mean, variance, standard deviation and their ratio, each the mean over
// runs of that of the run's cells or samples (QoE24).
func SpreadTable(r *Result, s *Set, d report.Direction) *Table {
	t := &Table{
		Corner:  []string{"environment", "metric", "unit"},
		Columns: []Column{{"", "mean"}, {"", "variance"}, {"", "stddev"}, {"", "cov"}},
		Parts:   []string{""},
	}
	metric := []string{"throughput_mbps.cell_mean"}
	for _, p := range s.paths() {
		metric = append(metric, p+".throughput_mbps.cell_mean", p+".srtt_ms.avg")
	}
	for i := range r.Scenarios {
		sc := &r.Scenarios[i]
		for _, m := range metric {
			first := string(d) + "." + m
			if _, ok := sc.Metrics[first]; !ok {
				continue
			}
			h := heads(first)
			row := Row{Heads: []string{sc.Name, h[0], h[2]}}
			stem := first[:strings.LastIndexByte(first, '.')]
			for _, f := range []string{first, stem + ".variance", stem + ".stddev", stem + ".cov"} {
				cell := Cell{}
				if a, ok := sc.Metrics[f]; ok {
					cell = Cell{Text: digits(a.Mean), Numbers: []float64{a.Mean}}
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// RankTable has a row per scenario in order of merit (MIX).
func RankTable(ranking []Ranked, by Ranking) *Table {
	t := &Table{
		Corner:  []string{"rank", "scenario"},
		Columns: []Column{{"", by.By}, {"", "retransmitted %"}},
		Parts:   []string{""},
	}
	var paths []string
	for _, e := range ranking {
		for p := range e.Shares {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for _, p := range paths {
		t.Columns = append(t.Columns, Column{"share %", p})
	}
	for _, e := range ranking {
		row := Row{Heads: []string{strconv.Itoa(e.Rank), e.Scenario}}
		if e.Rank == 0 {
			row.Heads[0] = "-"
			t.Notes = append(t.Notes, e.Scenario+" is out: "+strings.Join(e.Excluded, "; "))
		}
		row.Cells = append(row.Cells, Cell{Text: digits(e.Value), Numbers: []float64{e.Value}})
		again := Cell{}
		if e.Retransmission != nil {
			again = Cell{Text: digits(*e.Retransmission), Numbers: []float64{*e.Retransmission}}
		}
		row.Cells = append(row.Cells, again)
		for _, p := range paths {
			row.Cells = append(row.Cells, Cell{Text: digits(e.Shares[p]), Numbers: []float64{e.Shares[p]}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
