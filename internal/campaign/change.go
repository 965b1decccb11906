package campaign

import (
	"fmt"
	"math"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Change is one figure of a scenario against the baseline.
type Change struct {
	Scenario string           `json:"scenario"`
	Baseline string           `json:"baseline"`
	Metric   string           `json:"metric"`
	Better   catalogue.Better `json:"better"`
	Before   float64          `json:"before"` // mean of the baseline's runs
	After    float64          `json:"after"`
	// Difference of the means and its interval, in the figure's unit.
	Difference   float64    `json:"difference"`
	DifferenceCI [2]float64 `json:"difference_ci"`
	// The same as a part of the baseline's mean, percent; null where that can be 0.
	Percent   *float64    `json:"percent"`
	PercentCI *[2]float64 `json:"percent_ci"`
	// Mann-Whitney's probability, uncorrected, and Cliff's delta: positive where the values grew.
	P      float64 `json:"p"`
	Effect float64 `json:"effect"`
	// "better", "worse", "changed" where neither way is better, or "~" where the interval holds 0.
	Verdict string `json:"verdict"`
	// "send_order" where the figure is that of the order of sending, which is what captures at the sender show; absent else.
	Evidence string `json:"evidence,omitempty"`
}

// Changes compares each scenario with the baseline's scenario of its name, or with the
// baseline's only one, in each of the figures. It does not compare an order of sending
// with an order of arrival.
func (s *Set) Changes(figures []string, confidence float64) []Change {
	out := []Change{}
	for _, sc := range s.Scenarios {
		base := scenarioNamed(s.Baseline, sc.Name)
		if base == nil && len(s.Baseline) == 1 {
			base = s.Baseline[0]
		}
		if base == nil {
			continue
		}
		for _, name := range figures {
			before, after := base.values(name), sc.values(name)
			if len(before) > 0 && len(after) > 0 && sc.isSendOrder(name) == base.isSendOrder(name) {
				c := change(name, before, after, confidence)
				if sc.isSendOrder(name) {
					c.Evidence = string(report.SendOrder)
				}
				c.Scenario, c.Baseline = sc.Name, base.Name
				out = append(out, c)
			}
		}
	}
	return out
}

func change(name string, before, after []float64, confidence float64) Change {
	c := Change{Metric: name, Better: better(name), Verdict: noise}
	c.Before, c.After = stats.Summarize(before).Mean, stats.Summarize(after).Mean
	c.Difference = c.After - c.Before
	test := stats.MannWhitney(after, before)
	c.P, c.Effect = test.P, test.Effect
	var part [2]float64
	c.DifferenceCI, part = stats.ChangeInterval(before, after, confidence)
	if !math.IsNaN(part[0]) && c.Before != 0 {
		percent := 100 * c.Difference / math.Abs(c.Before)
		c.Percent, c.PercentCI = &percent, &[2]float64{100 * part[0], 100 * part[1]}
	}
	grew, shrank := c.DifferenceCI[0] > 0, c.DifferenceCI[1] < 0
	switch {
	case !grew && !shrank:
	case c.Better == catalogue.NeitherIsBetter:
		c.Verdict = "changed"
	case grew == (c.Better == catalogue.HigherIsBetter):
		c.Verdict = "better"
	default:
		c.Verdict = "worse"
	}
	return c
}

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

// interval returns the interval of the difference: in percent if that is known.
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
