package campaign

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Comparison compares every pair of scenarios in one figure.
type Comparison struct {
	// Name of the figure.
	Metric string `json:"metric"`
	// Whose captures it comes from, as in the scenarios' metrics.
	End string `json:"end"`
	// Factor and the value of it that these scenarios have in common; absent if all scenarios
	// are compared.
	Within *Factor `json:"within,omitempty"`
	// Which way it improves: higher, lower or neither.
	Better catalogue.Better `json:"better"`
	// Scenario that the others are compared with; absent if all pairs are compared.
	Baseline string `json:"baseline,omitempty"`
	// Scenario with the best mean; empty where neither way is better, fewer than two scenarios have the figure, or scenarios are compared with one of them only.
	Winner string `json:"winner"`
	// Scenarios that differ from the winner by no more than noise.
	Peers []string `json:"peers"`
	// Scenarios with too few runs to tell whether they differ from the winner. The winner is clear only if both peers and this list are empty.
	CannotTell []string `json:"cannot_tell"`
	Pairs      []Pair   `json:"pairs"`
	// Runs that take part.
	N int `json:"n"`
	// The first scenario with a single run; absent if all have more. Then there is no test of all scenarios: a single run does not show how much runs differ.
	SingleRun string `json:"single_run,omitempty"`
	// The test of all scenarios at once; absent for two.
	Omnibus *Omnibus `json:"omnibus,omitempty"`
	// Corrected probability below which two scenarios differ by more than noise: 1 - the confidence.
	Level float64 `json:"level"`
	// Runs that each of two scenarios needs so that the test can tell them apart, with this number of pairs.
	RunsNeeded int `json:"runs_needed"`
	// "send_order" where the figure describes the order of sending, because captures at the sender do not show the order of arrival; otherwise absent.
	Evidence string `json:"evidence,omitempty"`
}

// winsClearly reports whether the winner differs from every other scenario by more
// than noise.
func (c *Comparison) winsClearly() bool {
	return c.Winner != "" && len(c.Peers) == 0 && len(c.CannotTell) == 0
}

// Holds reports whether a scenario is one of the compared scenarios.
func (c *Comparison) Holds(name string) bool {
	return slices.ContainsFunc(c.Pairs, func(p Pair) bool { return p.A == name || p.B == name })
}

// Omnibus compares all scenarios in one figure at once, by the test of Kruskal and Wallis.
type Omnibus struct {
	// The statistic, corrected for equal values, and its degrees of freedom.
	H  float64 `json:"h"`
	DF int     `json:"df"`
	// Probability of ranks that uneven by chance, by the chi-squared distribution; not corrected for the other figures.
	P float64 `json:"p"`
	// Epsilon squared, H / (n - 1): 0 to 1.
	Effect float64 `json:"epsilon_squared"`
	// Runs that take part.
	N int `json:"n"`
}

// Pair compares two scenarios in one figure.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Mann-Whitney's U of A.
	U float64 `json:"u"`
	// Probability that the ranks are so uneven by chance; null where one of them has a single run.
	P *float64 `json:"p"`
	// The same corrected by Holm's method for all pairs of this figure; null where p is.
	PCorrected *float64 `json:"p_corrected"`
	// Cliff's delta, -1 to 1: positive where A's values are larger; null where p is.
	Effect *float64 `json:"effect"`
	// Name of the better scenario (the one with the larger values where neither way is better), "~" where the difference is no more than noise, or "cannot tell" where no values of so few runs could show a difference.
	Verdict string `json:"verdict"`
}

// Compare compares all pairs of scenarios in each of the figures. It leaves out a figure that
// fewer than two scenarios have. It also leaves out the order of sending if other scenarios
// show the order of arrival.
func (s *Set) Compare(figures []string) []Comparison {
	out := []Comparison{}
	for _, name := range figures {
		for _, g := range s.groups() {
			if c := s.compare(name, g); c != nil {
				out = append(out, *c)
			}
		}
	}
	return out
}

// compare compares the pairs of a group of scenarios in a figure; it returns nil if fewer than
// two scenarios have the figure.
func (s *Set) compare(name string, g group) *Comparison {
	c := &Comparison{Within: g.within, Metric: name, End: endOf(name, s.all()...), Better: better(name), Peers: []string{}, CannotTell: []string{}, Level: s.level()}
	sent, all := s.sendOrderScenarios(name)
	if all {
		c.Evidence = string(report.SendOrder)
		sent = nil
	}
	var have []*Scenario
	var values [][]float64
	for _, sc := range g.scenarios {
		if x := sc.values(name); len(x) > 0 && !slices.Contains(sent, sc.Name) {
			have, values = append(have, sc), append(values, x)
		}
	}
	if len(have) < 2 {
		return nil
	}
	for i, x := range values {
		if c.N += len(x); len(x) == 1 && c.SingleRun == "" {
			c.SingleRun = have[i].Name
		}
	}
	if len(have) > 2 && c.SingleRun == "" {
		t := stats.KruskalWallis(values...)
		c.Omnibus = &Omnibus{t.H, t.DF, t.P, t.Effect, t.N}
	}
	if base := s.base(g); base != nil {
		c.Baseline = base.Name
	}
	if c.pair(have, values, cmp.Or(c.Baseline, s.Reference)); c.Baseline == "" && s.Reference == "" {
		c.setWinner(have, values)
	}
	return c
}

// pair compares pairs of scenarios: those with base, if that is not empty, and else all. Probabilities are corrected for as many.
func (c *Comparison) pair(have []*Scenario, values [][]float64, base string) {
	var tests []tested
	for i := range have {
		for j := i + 1; j < len(have); j++ {
			if base != "" && base != have[i].Name && base != have[j].Name {
				continue
			}
			t := test(values[i], values[j])
			c.Pairs = append(c.Pairs, Pair{A: have[i].Name, B: have[j].Name, U: t.U})
			tests = append(tests, t)
		}
	}
	c.RunsNeeded = stats.RunsNeeded(len(tests), c.Level)
	for k, d := range decide(tests, c.Level) {
		x := &c.Pairs[k]
		x.P, x.PCorrected, x.Effect, x.Verdict = d.p, d.corrected, d.effect, d.verdict
		if d.verdict == differs {
			x.Verdict = x.A
			if (tests[k].Effect > 0) == (c.Better == catalogue.LowerIsBetter) {
				x.Verdict = x.B
			}
		}
	}
}

// setWinner sets the winner, the peers that differ from it by no more than noise, and the
// scenarios with too few runs to tell.
func (c *Comparison) setWinner(have []*Scenario, values [][]float64) {
	if c.Better == catalogue.NeitherIsBetter {
		return
	}
	best := math.Inf(1)
	for i, x := range values {
		score := stats.Summarize(x).Mean
		if c.Better == catalogue.HigherIsBetter {
			score = -score
		}
		if score < best {
			best, c.Winner = score, have[i].Name
		}
	}
	for _, x := range c.Pairs {
		other := x.B
		switch c.Winner {
		case x.A:
		case x.B:
			other = x.A
		default:
			continue
		}
		switch x.Verdict {
		case c.Winner:
		case CannotTell:
			c.CannotTell = append(c.CannotTell, other)
		default:
			c.Peers = append(c.Peers, other)
		}
	}
}

// better returns in which direction a figure improves.
func better(figure string) catalogue.Better { return BetterOf(metricOf(figure)) }

// BetterOf returns in which direction a statistic of a metric improves: for a value, as the table
// of metrics says; a measure of variation improves when it falls.
func BetterOf(m catalogue.Metric, stat string) catalogue.Better {
	switch stat {
	case "samples":
		return catalogue.NeitherIsBetter
	case "stddev", "variance", "cov":
		if m.Better == catalogue.HigherIsBetter {
			return catalogue.LowerIsBetter
		}
	}
	if m.Better == "" || strings.HasSuffix(stat, ".samples") || strings.HasPrefix(stat, "messages.bytes.") || tellsHowMuch[m.JSON+"."+stat] {
		return catalogue.NeitherIsBetter
	}
	return m.Better
}

// tellsHowMuch holds the fields of composite metrics that are amounts, which are neither good
// nor bad.
var tellsHowMuch = map[string]bool{
	"scheduler_regret.chunks": true, "streaming.chunks": true, "streaming.played_ms": true,
	"streaming.bitrate_mbps": true, "streaming.playout_ms": true,
	"streaming.messages.count": true, "streaming.messages.gap_ms": true,
}

// metricRows is the table of metrics by their names in reports.
var metricRows = sync.OnceValue(func() map[string]catalogue.Metric {
	m := map[string]catalogue.Metric{}
	for _, row := range metrics.Table() {
		m[row.JSON] = row
	}
	return m
})

// metricOf returns the row of the table of metrics that a figure belongs to, or the zero value
// if there is none. It also returns the part of the figure's name after the metric's name, for
// example "avg" or "extent_ms.p95".
func metricOf(figure string) (m catalogue.Metric, stat string) {
	known := metricRows()
	_, _, field := splitFigure(figure)
	name, stat, _ := strings.Cut(field, ".")
	if m, ok := known[name]; ok && fieldNames()[field] {
		return m, stat
	}
	return catalogue.Metric{}, figure[strings.LastIndexByte(figure, '.')+1:]
}
