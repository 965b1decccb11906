package campaign

import (
	"fmt"
	"slices"

	"mpanalyze/internal/report"
)

// Outcome is the result of an input: a run, or the reason why there is none.
type Outcome struct {
	Run *Run
	Err error
}

// Member is a run of a scenario.
type Member struct {
	Input
	*Run
}

// Scenario holds the runs of one setting.
type Scenario struct {
	Name string
	Runs []Member
}

// Set is a campaign: its scenarios in the order in which they were first named, and the
// runs that were left out.
type Set struct {
	Scenarios []*Scenario
	Baseline  []*Scenario // the campaign to compare with; empty for none
	Single    []*Scenario // runs of each path alone, by the path's name; empty for none
	Skipped   []Skip
	Within    string // factor: only scenarios with the same value of it are compared; empty to compare all
	Against   string // scenario that the others are compared with, and not with one another; empty to compare all pairs
	Reference string // scenario that a table shows the others beside: only pairs with it are compared, and none wins; empty for none
	Factor    string // factor whose main effects are shown, so that scenarios are not compared; empty for none
	// Confidence of verdicts and of the intervals of differences, 0 to 1; 0 for [Confidence].
	Confidence float64
}

// Group sorts runs into scenarios. Figures of different vantages are not averaged together: a
// run that was not captured where most runs of its scenario were is skipped, unless mix is
// set.
func Group(inputs []Input, outcomes []Outcome, mix bool) *Set {
	s := &Set{}
	for i, in := range inputs {
		if in.Name == "" { // a folder that fits a part of the pattern and holds no run
			s.skip(in, in.Problem)
			continue
		}
		list := &s.Scenarios
		if in.Baseline {
			list = &s.Baseline
		}
		if in.Single {
			list = &s.Single
		}
		sc := scenarioNamed(*list, in.Scenario)
		if sc == nil {
			sc = &Scenario{Name: in.Scenario}
			*list = append(*list, sc)
		}
		if o := outcomes[i]; o.Run == nil {
			s.skip(in, o.Err.Error())
		} else {
			sc.Runs = append(sc.Runs, Member{in, o.Run})
		}
	}
	if !mix {
		for _, sc := range s.all() {
			s.oneVantage(sc)
		}
	}
	return s
}

func scenarioNamed(list []*Scenario, name string) *Scenario {
	for _, sc := range list {
		if sc.Name == name {
			return sc
		}
	}
	return nil
}

func (s *Set) skip(in Input, reason string) {
	s.Skipped = append(s.Skipped, Skip{Scenario: in.Scenario, Run: in.Name, Files: append([]string{}, in.AllFiles()...), Reason: reason, Baseline: in.Baseline})
}

// oneVantage keeps the runs of a scenario's most frequent vantage; among equally frequent
// ones, of the first.
func (s *Set) oneVantage(sc *Scenario) {
	count := map[string]int{}
	for _, m := range sc.Runs {
		count[m.where()]++
	}
	if len(count) < 2 {
		return
	}
	most := sc.Runs[0].where()
	for _, m := range sc.Runs {
		if count[m.where()] > count[most] {
			most = m.where()
		}
	}
	kept := sc.Runs[:0]
	for _, m := range sc.Runs {
		if m.where() == most {
			kept = append(kept, m)
			continue
		}
		s.skip(m.Input, fmt.Sprintf("was captured at %s, most runs of %s at %s, and their figures do not mix; state --vantage, or --allow places to take them all", m.where(), sc.Name, most))
	}
	sc.Runs = kept
}

// Runs returns the number of runs in scenarios, including the baseline's.
func (s *Set) Runs() (n int) {
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline) {
		n += len(sc.Runs)
	}
	return n
}

// all returns the scenarios, those of the baseline, and the paths alone.
func (s *Set) all() []*Scenario { return slices.Concat(s.Scenarios, s.Baseline, s.Single) }

// Members returns all runs: of the scenarios, of the baseline, of single paths.
func (s *Set) Members() (all []*Member) {
	for _, sc := range s.all() {
		for i := range sc.Runs {
			all = append(all, &sc.Runs[i])
		}
	}
	return all
}

// Bulk returns the direction in which most runs carry most of their data.
func (s *Set) Bulk() report.Direction {
	down := 0
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline) {
		for _, m := range sc.Runs {
			if m.Bulk == report.B2A {
				down++
			}
		}
	}
	if 2*down > s.Runs() {
		return report.B2A
	}
	return report.A2B
}

// values returns the values of a figure in the runs that have it.
func (sc *Scenario) values(name string) []float64 {
	var out []float64
	for _, m := range sc.Runs {
		if v, ok := m.Figure(name); ok {
			out = append(out, v)
		}
	}
	return out
}
