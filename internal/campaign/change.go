package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Change compares one figure of a scenario with the baseline.
type Change struct {
	Scenario string           `json:"scenario"`
	Baseline string           `json:"baseline"`
	Metric   string           `json:"metric"`
	End      string           `json:"end"`            // whose captures it comes from, as in the scenarios' metrics
	Cell     string           `json:"cell,omitempty"` // of the sampling grid, as in the scenarios' metrics
	Better   catalogue.Better `json:"better"`
	Before   float64          `json:"before"` // mean of the baseline's runs
	After    float64          `json:"after"`
	// Difference of the means, in the figure's unit.
	Difference float64 `json:"difference"`
	// Interval of the shift from a run before to one after: the shifts that the test of this figure and scenario alone does not reject, in the figure's unit; null where there are too few runs for any.
	DifferenceCI *[2]float64 `json:"difference_ci"`
	// The same as a part of the baseline's mean, and of each of its runs, percent; null where one of these is 0.
	Percent   *float64    `json:"percent"`
	PercentCI *[2]float64 `json:"percent_ci"`
	// Probability by the test of Mann and Whitney, uncorrected, and Cliff's delta: positive
	// where the values grew. They are null where either side is a single run.
	P      *float64 `json:"p"`
	Effect *float64 `json:"effect"`
	// The probability corrected by Holm's method for all scenarios that have a baseline in this figure; null where p is.
	PCorrected *float64 `json:"p_corrected"`
	// Runs that have the figure.
	RunsBefore int `json:"runs_before"`
	RunsAfter  int `json:"runs_after"`
	// "better", "worse", "changed" where neither way is better, "~" where the difference is no more than noise, or "cannot tell" where no values of so few runs could show a difference.
	Verdict string `json:"verdict"`
	// "send_order" where the figure describes the order of sending, because captures at the sender do not show the order of arrival; otherwise absent.
	Evidence string `json:"evidence,omitempty"`

	before, after []float64
}

// Changes compares each scenario with its baseline in each of the figures. It does not compare an order of
// sending with an order of arrival. The changes of one scenario follow each other.
func (s *Set) Changes(figures []string) []Change {
	out, groups := []Change{}, []group{{nil, s.Scenarios}}
	if s.Against != "" {
		groups = s.groups()
	}
	for _, g := range groups {
		var of []Change
		for _, sc := range g.scenarios {
			if base := s.baselineOf(sc, g); base != nil {
				of = append(of, s.changesOf(sc, base, figures)...)
			}
		}
		for _, name := range figures {
			judgeChanges(of, name, s.level())
		}
		out = append(out, of...)
	}
	return out
}

// baselineOf returns what a scenario of a group is compared with: the scenario that [Set.Against] names, or
// the baseline's scenario of the same name, or the only scenario of the baseline; nil for none.
func (s *Set) baselineOf(sc *Scenario, g group) *Scenario {
	base := scenarioNamed(s.Baseline, sc.Name)
	switch {
	case s.Against != "":
		if base = s.base(g); base == sc {
			return nil
		}
	case base == nil && len(s.Baseline) == 1:
		return s.Baseline[0]
	}
	return base
}

// changesOf compares a scenario with its baseline in each of the figures, without verdicts.
func (s *Set) changesOf(sc, base *Scenario, figures []string) (out []Change) {
	for _, name := range figures {
		before, after := base.values(name), sc.values(name)
		if len(before) == 0 || len(after) == 0 || sc.isSendOrder(name) != base.isSendOrder(name) {
			continue
		}
		c := change(name, before, after, 1-s.level())
		if sc.isSendOrder(name) {
			c.Evidence = string(report.SendOrder)
		}
		c.Scenario, c.Baseline, c.End, c.Cell = sc.Name, base.Name, endOf(name, sc, base), gridCell(name, sc, base)
		out = append(out, c)
	}
	return out
}

// change describes a change without a verdict.
func change(name string, before, after []float64, confidence float64) Change {
	c := Change{Metric: name, Better: better(name), before: before, after: after, RunsBefore: len(before), RunsAfter: len(after)}
	c.Before, c.After = stats.Summarize(before).Mean, stats.Summarize(after).Mean
	c.Difference = c.After - c.Before
	interval, ok := stats.ShiftInterval(before, after, confidence)
	if ok = ok && min(len(before), len(after)) > 1; ok { // a single run has no test
		c.DifferenceCI = &interval
	}
	if c.Before != 0 && !slices.Contains(before, 0) {
		c.Percent = new(100 * c.Difference / math.Abs(c.Before))
	}
	if part, all := stats.PartInterval(before, after, confidence); ok && all && c.Percent != nil {
		c.PercentCI = &[2]float64{100 * part[0], 100 * part[1]}
	}
	return c
}

// judgeChanges gives all changes of one figure their verdicts.
func judgeChanges(changes []Change, figure string, level float64) {
	var of []*Change
	var tests []tested
	for i := range changes {
		if c := &changes[i]; c.Metric == figure {
			of, tests = append(of, c), append(tests, test(c.after, c.before))
		}
	}
	for i, d := range decide(tests, level) {
		c := of[i]
		c.P, c.Effect, c.PCorrected, c.Verdict = d.p, d.effect, d.corrected, d.verdict
		switch {
		case d.verdict != differs:
		case c.Better == catalogue.NeitherIsBetter:
			c.Verdict = "changed"
		case (*c.Effect > 0) == (c.Better == catalogue.HigherIsBetter):
			c.Verdict = "better"
		default:
			c.Verdict = "worse"
		}
	}
}

// ChangeTable has a row for each figure that the baseline has, too. Rows are named as in the
// table with layout l.
func ChangeTable(changes []Change, l *Layout) *Table {
	style := l.Style
	t := &Table{
		Corner:  []string{"scenario", "metric", "", "unit"},
		Columns: []Column{{"mean", "before"}, {"mean", "after"}, {"change", "percent"}, {"change", "interval"}, {"", "verdict"}},
		Parts:   []string{""},
		About:   aboutFigure,
		Tests:   []string{""},
	}
	var rows, cells []string
	for i := range changes {
		c := &changes[i]
		rows, cells = append(rows, l.cellName(c.Metric)), append(cells, c.Cell)
		name := c.Scenario
		if c.Baseline != c.Scenario {
			name += " against " + c.Baseline
		}
		percent := Cell{}
		if c.Percent != nil {
			percent = Cell{Text: style.signed(*c.Percent) + "%", Numbers: []float64{*c.Percent}}
		}
		h := slices.Clone(l.heads(c.Metric))
		if c.Evidence != "" && !strings.HasSuffix(h[0], sendOrderWords+")") {
			h[0] += " (" + sendOrderWords + ")"
		}
		t.Rows = append(t.Rows, Row{
			Heads: append([]string{name}, h...),
			About: []string{c.Metric, c.End, c.Cell},
			Tests: []*RowTest{rankTest(c.RunsBefore+c.RunsAfter, c.PCorrected, c.Effect)},
			Cells: []Cell{
				style.cell(c.Before), style.cell(c.After),
				percent,
				{Text: c.interval(style)},
				{Text: c.Verdict},
			},
		})
	}
	t.Caption, t.Notes = cellNote(rows, cells), changeNotes(changes)
	return t
}

// changeNotes explains how intervals and verdicts are found.
func changeNotes(changes []Change) (notes []string) {
	marks := map[string]bool{}
	for i := range changes {
		marks[changes[i].Verdict] = true
		marks["interval"] = marks["interval"] || changes[i].DifferenceCI != nil
		marks["single"] = marks["single"] || changes[i].P == nil
	}
	if marks["interval"] {
		notes = append(notes, "interval: the shifts from before to after that the test does not reject (Mann-Whitney)")
	}
	return append(notes, verdictNotes(marks)...)
}

// verdictNotes explains verdicts that tell no difference.
func verdictNotes(marks map[string]bool) (notes []string) {
	if marks[noise] {
		notes = append(notes, noise+": no more than noise (Mann-Whitney, Holm over the scenarios)")
	}
	if marks[CannotTell] {
		notes = append(notes, CannotTell+": too few runs (mpanalyze compare --help-all says how many it takes)")
	}
	if marks["single"] {
		notes = append(notes, "no p and no size of an effect: a single run does not show how much runs differ")
	}
	return notes
}

// interval returns the text of the interval of the shift, in percent if that is known; "" if
// there is none.
func (c *Change) interval(style Style) string {
	switch {
	case c.PercentCI != nil:
		return fmt.Sprintf("%s%% to %s%%", style.signed(c.PercentCI[0]), style.signed(c.PercentCI[1]))
	case c.DifferenceCI != nil:
		return style.signed(c.DifferenceCI[0]) + " to " + style.signed(c.DifferenceCI[1])
	}
	return ""
}

// Line describes the change in one line.
func (c *Change) Line() string {
	line := fmt.Sprintf("%s from %s to %s", c.Metric, digits(c.Before), digits(c.After))
	if interval := c.interval(Style{}); interval != "" {
		line += " (" + interval + ")"
	}
	return line
}
