package campaign

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/stats"
	"mpanalyze/internal/textwrap"
)

// One rule is used wherever two samples of runs are compared: two scenarios in a row of a
// table, a scenario and its baseline, a gain over a reference, a rank and the one above it, a
// limit of --fail-on.
//
//   - The test is Mann and Whitney's, two-sided, exact up to 50 runs (25 with equal values).
//   - Its probabilities are corrected by Holm's method for the tests of one figure: the
//     pairs of scenarios in a row, the scenarios that have a baseline.
//   - A corrected probability below 1 - confidence (0.05) is a difference, any other is
//     noise.
//   - Where not even values that do not overlap would be a difference, the verdict is that
//     it cannot be told. The smallest probability of n against m runs is 2 / C(n+m, n):
//     3 against 3 have 2/20 = 0.1, 4 against 4 2/70 = 0.029, 5 against 5 2/252 = 0.0079,
//     6 against 6 2/924 = 0.0022. A single test takes 4 runs a side, 3 to 6 tests (3 or 4
//     scenarios in pairs) take 5, 10 to 21 (5 to 7 scenarios) 6, 28 to 66 (8 to 12) 7.
//
// A single run does not show how much runs differ. A test with it has no probability and no size of
// an effect, and its verdict is that it cannot be told.
//
// The interval of a difference comes from the same test: it holds the shifts that the test
// does not reject, without the correction.

// The verdicts of a test.
const (
	differs = "differs"
	// noise is the verdict that a difference is no more than noise.
	noise = "~"
	// CannotTell is the verdict where no values of so few runs could show a difference.
	CannotTell = "cannot tell"
)

// unknown marks [CannotTell] in tables; noise marks itself.
const unknown = "?"

// tested is the test of two samples.
type tested struct {
	stats.RankTest
	least  float64 // smallest probability that samples of these sizes can have
	single bool    // one of the samples is a single run: it does not show how much runs differ, so it says nothing
}

func test(a, b []float64) tested {
	t := tested{stats.MannWhitney(a, b), stats.SmallestP(len(a), len(b)), min(len(a), len(b)) == 1}
	if t.single {
		t.P, t.least = 1, 1
	}
	return t
}

// decision is the result of a test, corrected for the other tests of its figure.
type decision struct {
	p, corrected, effect *float64 // nil where one of the samples is a single run
	verdict              string   // differs, noise or CannotTell
}

// decide corrects the tests of one figure and gives their verdicts. A probability that Holm's
// method corrects never falls when another probability rises. So the smallest possible
// probabilities, corrected, are the smallest results that any values could have.
func decide(tests []tested, level float64) []decision {
	p, least := make([]float64, len(tests)), make([]float64, len(tests))
	for i, t := range tests {
		p[i], least[i] = t.P, t.least
	}
	p, least = stats.Holm(p), stats.Holm(least)
	out := make([]decision, len(tests))
	for i, t := range tests {
		out[i].verdict = noise
		if !t.single {
			out[i] = decision{&t.P, &p[i], &t.Effect, noise}
		}
		switch {
		case least[i] >= level:
			out[i].verdict = CannotTell
		case p[i] < level && t.Effect != 0:
			out[i].verdict = differs
		}
	}
	return out
}

// level is the corrected probability below which a difference is more than noise.
func (s *Set) level() float64 { return levelOf(s.Confidence) }

// levelOf returns the level of a confidence; 0 stands for [Confidence].
func levelOf(confidence float64) float64 {
	if confidence == 0 {
		confidence = Confidence
	}
	return math.Round((1-confidence)*1e9) / 1e9 // 1 - 0.95 is not 0.05 in binary
}

// mark returns the mark of a verdict in a table; "" for a difference.
func mark(verdict string) string {
	switch verdict {
	case noise:
		return noise
	case CannotTell:
		return unknown
	}
	return ""
}

// markNotes explains the marks of the tests that a comparison made.
func markNotes(all []Comparison) (notes []string) {
	marks := map[string]bool{}
	var tests, need int
	row := "a row"
	level := 0.0
	for i := range all {
		for _, p := range all[i].Pairs {
			marks[mark(p.Verdict)] = true
		}
		if w := all[i].Within; w != nil {
			row = "a row within one " + w.Name
		}
		tests, need, level = max(tests, len(all[i].Pairs)), max(need, all[i].RunsNeeded), all[i].Level
	}
	if marks[noise] {
		notes = append(notes, fmt.Sprintf("%s: no more than noise (Mann-Whitney, Holm over the pairs of %s, p >= %.2g)", noise, row, level))
	}
	if marks[unknown] {
		notes = append(notes, fmt.Sprintf("%s: cannot tell, too few runs: with %s in %s each scenario needs %d (Mann-Whitney, Holm, p < %.2g)",
			unknown, textwrap.Count(tests, "pair"), row, need, level))
	}
	return notes
}

// RunsNeeded says how many runs the changes of a figure need so that a single change can show.
func RunsNeeded(changes []Change, figure string, confidence float64) string {
	tests := 0
	for i := range changes {
		if changes[i].Metric == figure {
			tests++
		}
	}
	n := stats.RunsNeeded(tests, levelOf(confidence))
	if tests == 1 {
		return fmt.Sprintf("it takes %d of each", n)
	}
	return fmt.Sprintf("with %d scenarios it takes %d of each", tests, n)
}

// tooFew warns of scenarios with too few runs for any test to show a difference.
func (s *Set) tooFew() (warnings []string) {
	groups := s.groups()
	if s.Factor != "" { // scenarios are not compared
		groups = nil
	}
	for _, g := range groups {
		if k := len(g.scenarios); k > 1 {
			warnings = append(warnings, s.fewRuns(g.scenarios, s.tests(k), "")...)
		}
	}
	if len(s.Baseline) > 0 {
		warnings = append(warnings, s.fewRuns(slices.Concat(s.Baseline, s.Scenarios), len(s.Scenarios), " against the baseline")...)
	}
	return warnings
}

// fewRuns warns if the scenario with the fewest runs cannot be shown to differ from any other
// scenario, even from one with as many runs as it has.
func (s *Set) fewRuns(among []*Scenario, tests int, against string) []string {
	small := slices.MinFunc(among, func(a, b *Scenario) int { return len(a.Runs) - len(b.Runs) })
	n := len(small.Runs)
	p := float64(tests) * stats.SmallestP(n, n)
	if n == 0 || p < s.level() {
		return nil
	}
	if s.Against != "" {
		against = " against " + s.Against
	}
	text := fmt.Sprintf("%s in %s: with %s%s the smallest corrected p of a pair is %.2g; at least %d runs a scenario are needed to show that a single pair differs",
		textwrap.Count(n, "run"), small.Name, textwrap.Count(tests, "comparison"), against, min(1, p), stats.RunsNeeded(tests, s.level()))
	if k := len(among); against == "" && k > 2 {
		text += fmt.Sprintf("; --baseline %s compares only with %s, or any other scenario, in %s, for which %d runs a scenario do", among[0].Name, among[0].Name, textwrap.Count(k-1, "comparison"), stats.RunsNeeded(k-1, s.level()))
	}
	return []string{text}
}
