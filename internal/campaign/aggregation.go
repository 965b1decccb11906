package campaign

import (
	"errors"
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Aggregation compares a scenario with runs of each of its paths alone.
type Aggregation struct {
	Scenario  string           `json:"scenario"`
	Direction report.Direction `json:"direction"`
	// Mean goodput G of the runs, Mbit/s, and the number of runs.
	Goodput float64 `json:"goodput_mbps"`
	Runs    int     `json:"runs"`
	// The runs of each path alone.
	Alone []Alone `json:"alone"`
	// Path with the largest mean goodput alone: Cmax.
	Best string `json:"best"`
	// Aggregation benefit (Kaspar, 2012; Paasch, Ferlin, Alay and Bonaventure, 2014): (G - Cmax) / (sum C - Cmax) where G is at least Cmax, and (G - Cmax) / Cmax where it is less, no more than 1. -1: nothing arrived; 0: as the best path alone; 1: as all paths together. Null where a path carried nothing alone.
	Benefit *float64 `json:"benefit"`
	// (G - Cmax) / (sum C - Cmax) without limits: above 1 where the paths together carried more than the sum of each path alone, for example because a bottleneck or a window limited them, or because the runs of single paths had worse conditions.
	Unclipped *float64 `json:"unclipped"`
	// 95 % interval of the benefit, by bootstrap of the runs of each sample with a fixed seed; null where one has fewer runs than the test takes.
	BenefitCI *[2]float64 `json:"benefit_ci"`
	// Probability by the test of Mann and Whitney that G and the goodput of the best path alone differ so much by chance, and the same corrected by Holm's method for all scenarios; null where one of them has a single run.
	P          *float64 `json:"p"`
	PCorrected *float64 `json:"p_corrected"`
	// Cliff's delta: positive where G is larger; null where p is.
	Effect *float64 `json:"effect"`
	// Verdict on the scenario against the best path alone: "better", "worse", "~" where the difference is no more than noise, or "cannot tell" where no values of so few runs could show a difference.
	Verdict string `json:"verdict"`

	bestRuns int // of the best path alone
}

// Alone holds the runs of one path alone.
type Alone struct {
	Path    string  `json:"path"`
	Goodput float64 `json:"goodput_mbps"` // mean, Mbit/s
	Runs    int     `json:"runs"`
}

// Aggregate compares each scenario with the runs of its paths alone, in one direction. It
// returns an empty list if no such runs were given.
func (s *Set) Aggregate(d report.Direction) ([]Aggregation, error) {
	out := []Aggregation{}
	if len(s.Single) == 0 {
		return out, nil
	}
	if err := s.singlesAreApart(); err != nil {
		return nil, err
	}
	var alone [][]float64
	for _, sc := range s.Single {
		x := sc.values(goodputOf(d))
		if len(x) == 0 {
			return nil, fmt.Errorf("--single %s: no run has a goodput from %s", sc.Name, d)
		}
		alone = append(alone, x)
	}
	if len(alone) < 2 {
		return nil, errors.New("--single: name each path, at least two, as in --single wifi=w1.pcap,w2.pcap --single LTE=l1.pcap,l2.pcap")
	}
	var tests []tested
	for _, sc := range s.Scenarios {
		if x := sc.values(goodputOf(d)); len(x) > 0 {
			a, best := s.aggregation(sc.Name, d, x, alone)
			out, tests = append(out, a), append(tests, test(x, best))
		}
	}
	for i, v := range decide(tests, s.level()) {
		out[i].P, out[i].PCorrected, out[i].Effect, out[i].Verdict = v.p, v.corrected, v.effect, v.verdict
		if v.verdict == differs {
			out[i].Verdict = "worse"
			if *v.effect > 0 {
				out[i].Verdict = "better"
			}
		}
	}
	return out, nil
}

// aggregation describes a scenario without the verdict; best are the values of the best path
// alone.
func (s *Set) aggregation(name string, d report.Direction, x []float64, alone [][]float64) (a Aggregation, best []float64) {
	a = Aggregation{Scenario: name, Direction: d, Goodput: stats.Summarize(x).Mean, Runs: len(x)}
	means := []float64{a.Goodput}
	fewest, most := len(x), 0.0
	for i, values := range alone {
		c := Alone{s.Single[i].Name, stats.Summarize(values).Mean, len(values)}
		a.Alone, means = append(a.Alone, c), append(means, c.Goodput)
		fewest = min(fewest, len(values))
		if best == nil || c.Goodput > most {
			best, most, a.Best, a.bestRuns = values, c.Goodput, c.Path, c.Runs
		}
	}
	clipped, unclipped, ok := benefit(means)
	if !ok {
		return a, best
	}
	a.Benefit, a.Unclipped = &clipped, &unclipped
	if fewest >= stats.RunsNeeded(1, s.level()) {
		interval := stats.MeansInterval(append([][]float64{x}, alone...), Confidence, func(means []float64) float64 {
			b, _, _ := benefit(means) // means of values above 0 are above 0
			return b
		})
		a.BenefitCI = &interval
	}
	return a, best
}

// benefit returns the aggregation benefit; means holds the goodput, and then the goodput of
// each path alone. ok is false if one of the paths has 0.
func benefit(means []float64) (clipped, unclipped float64, ok bool) {
	g, sum, most := means[0], 0.0, 0.0
	for _, c := range means[1:] {
		if c <= 0 {
			return 0, 0, false
		}
		sum, most = sum+c, max(most, c)
	}
	unclipped = (g - most) / (sum - most)
	if g < most {
		return (g - most) / most, unclipped, true
	}
	return min(unclipped, 1), unclipped, true
}

// AggregationTable has a row for each scenario: its goodput, the goodput of each path alone,
// the aggregation benefit with its interval, and whether the scenario is better than the best
// path alone.
func AggregationTable(all []Aggregation, style Style) *Table {
	t := &Table{
		Corner: []string{"scenario"}, Columns: []Column{{"goodput, Mbit/s", "together"}}, Parts: []string{""}, Tests: []string{""},
		Caption: "goodput: means over runs; benefit: (G - Cmax) / (sum C - Cmax), below 0 (G - Cmax) / Cmax, at most 1, with its 95 % interval; verdict: against the best path alone",
	}
	marks := map[string]bool{}
	for i := range all {
		a := &all[i]
		row := Row{Heads: []string{a.Scenario}, Cells: []Cell{style.cell(a.Goodput)}}
		for _, c := range a.Alone {
			if i == 0 {
				t.Columns = append(t.Columns, Column{"goodput, Mbit/s", c.Path + " alone"})
			}
			row.Cells = append(row.Cells, style.cell(c.Goodput))
		}
		row.Cells = append(row.Cells, a.benefitCells(style)...)
		row.Cells = append(row.Cells, Cell{Text: a.Verdict})
		row.Tests = []*RowTest{rankTest(a.Runs+a.bestRuns, a.PCorrected, a.Effect)}
		t.Rows = append(t.Rows, row)
		marks[a.Verdict], marks["single"] = true, marks["single"] || a.P == nil
		if a.Unclipped != nil && *a.Unclipped > 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: the benefit is %s before it is cut to 1", a.Scenario, style.number(*a.Unclipped)))
		}
	}
	t.Columns = append(t.Columns, Column{"benefit", "mean"}, Column{"benefit", "from"}, Column{"benefit", "to"}, Column{"", "verdict"})
	t.Notes = append(t.Notes, verdictNotes(marks)...)
	if len(all) == 0 {
		t.Notes = append(t.Notes, "no run has a goodput in this direction")
	}
	return t
}

// benefitCells returns the cells of the benefit and of its interval.
func (a *Aggregation) benefitCells(style Style) []Cell {
	if a.BenefitCI == nil {
		return []Cell{style.cellIf(a.Benefit), {}, {}}
	}
	return []Cell{style.cellIf(a.Benefit), style.cell(a.BenefitCI[0]), style.cell(a.BenefitCI[1])}
}

// AggregationName is the name of the table of [AggregationTable].
const AggregationName = "aggregation"
