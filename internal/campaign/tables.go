package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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
		h := heads(c.Metric)
		if c.Evidence != "" {
			h[0] += " (" + sendOrderWords + ")"
		}
		t.Rows = append(t.Rows, Row{
			Heads: append([]string{name}, h...),
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
