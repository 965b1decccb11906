package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// significance is the corrected probability below which a difference counts
// as more than noise.
const significance = 1 - Confidence

// noise stands where a difference is no more than noise.
const noise = "~"

// Comparison holds every pair of scenarios against each other in one figure.
type Comparison struct {
	// Name of the figure.
	Metric string `json:"metric"`
	// Which way it improves: higher, lower or neither.
	Better catalogue.Better `json:"better"`
	// Scenario with the best mean; empty where neither way is better, or fewer than two scenarios have the figure.
	Winner string `json:"winner"`
	// Scenarios that differ from the winner by no more than noise. Its win is one where there are none.
	Peers []string `json:"peers"`
	Pairs []Pair   `json:"pairs"`
	// "send_order" where the figure is that of the order of sending, which is what captures at the sender show; absent else.
	Evidence string `json:"evidence,omitempty"`
}

// winsClearly reports whether the winner differs from every other scenario by more
// than noise.
func (c *Comparison) winsClearly() bool { return c.Winner != "" && len(c.Peers) == 0 }

// Holds reports whether a scenario is one of those that are compared.
func (c *Comparison) Holds(name string) bool {
	return slices.ContainsFunc(c.Pairs, func(p Pair) bool { return p.A == name || p.B == name })
}

// Pair is two scenarios in one figure.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Mann-Whitney's U of A.
	U float64 `json:"u"`
	// Probability of so uneven ranks by chance.
	P float64 `json:"p"`
	// The same corrected by Holm's method for all pairs of this figure.
	PCorrected float64 `json:"p_corrected"`
	// Cliff's delta, -1 to 1: positive where A's values are larger.
	Effect float64 `json:"effect"`
	// Name of the better scenario (the one with the larger values where neither way is better), or "~" where the difference is no more than noise.
	Verdict string `json:"verdict"`
}

// Compare compares all pairs of scenarios in each of the figures. It leaves out a figure
// that fewer than two scenarios have, and the order of sending where other scenarios
// show the order of arrival.
func (s *Set) Compare(figures []string) []Comparison {
	out := []Comparison{}
	for _, name := range figures {
		c := Comparison{Metric: name, Better: better(name), Peers: []string{}}
		sent, all := s.sendOrderScenarios(name)
		if all {
			c.Evidence = string(report.SendOrder)
			sent = nil
		}
		var have []*Scenario
		var values [][]float64
		for _, sc := range s.Scenarios {
			if x := sc.values(name); len(x) > 0 && !slices.Contains(sent, sc.Name) {
				have, values = append(have, sc), append(values, x)
			}
		}
		if len(have) < 2 {
			continue
		}
		c.pair(have, values)
		c.setWinner(have, values)
		out = append(out, c)
	}
	return out
}

func (c *Comparison) pair(have []*Scenario, values [][]float64) {
	var p []float64
	for i := range have {
		for j := i + 1; j < len(have); j++ {
			t := stats.MannWhitney(values[i], values[j])
			c.Pairs = append(c.Pairs, Pair{A: have[i].Name, B: have[j].Name, U: t.U, P: t.P, Effect: t.Effect})
			p = append(p, t.P)
		}
	}
	for k, corrected := range stats.Holm(p) {
		x := &c.Pairs[k]
		x.PCorrected, x.Verdict = corrected, noise
		if corrected < significance && x.Effect != 0 {
			x.Verdict = x.A
			if (x.Effect > 0) == (c.Better == catalogue.LowerIsBetter) {
				x.Verdict = x.B
			}
		}
	}
}

// setWinner sets the winner, and the peers that differ from it by no more than noise.
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
		switch {
		case x.Verdict == c.Winner:
		case x.A == c.Winner:
			c.Peers = append(c.Peers, x.B)
		case x.B == c.Winner:
			c.Peers = append(c.Peers, x.A)
		}
	}
}

// better returns in which direction a figure improves: that of its metric for a value,
// lower for a measure of fluctuation.
func better(figure string) catalogue.Better {
	m, stat := metricOf(figure)
	switch stat {
	case "samples":
		return catalogue.NeitherIsBetter
	case "stddev", "variance", "cov":
		if m.Better == catalogue.HigherIsBetter {
			return catalogue.LowerIsBetter
		}
	}
	if m.Better == "" {
		return catalogue.NeitherIsBetter
	}
	return m.Better
}

// metricRows is the table of metrics by their names in reports.
var metricRows = sync.OnceValue(func() map[string]catalogue.Metric {
	m := map[string]catalogue.Metric{}
	for _, row := range metrics.Table() {
		m[row.JSON] = row
	}
	return m
})

// metricOf returns the row of the table of metrics that a figure belongs to,
// the zero value where there is none, and what stands behind the metric's name
// in the figure's, as in "avg" or "extent_ms.p95".
func metricOf(figure string) (m catalogue.Metric, stat string) {
	known := metricRows()
	for end := len(figure); ; { // from behind: path labels may hold anything
		at := strings.LastIndexByte(figure[:end], '.')
		if at < 0 {
			return catalogue.Metric{}, figure[strings.LastIndexByte(figure, '.')+1:]
		}
		if m, ok := known[figure[at+1:end]]; ok {
			return m, strings.TrimPrefix(figure[end:], ".")
		}
		end = at
	}
}

// tooFew warns of scenarios with so few runs that no difference can be significant.
func (s *Set) tooFew() (warnings []string) {
	k := len(s.Scenarios)
	if k < 2 {
		return nil
	}
	pairs := k * (k - 1) / 2
	small := slices.MinFunc(s.Scenarios, func(a, b *Scenario) int { return len(a.Runs) - len(b.Runs) })
	n := len(small.Runs)
	if p := float64(pairs) * stats.SmallestP(n, n); n > 0 && p >= significance {
		need := n
		for float64(pairs)*stats.SmallestP(need, need) >= significance {
			need++
		}
		return []string{fmt.Sprintf("%s in %s: with %s the smallest corrected p of a pair is %.2g; at least %d runs a scenario are needed to show that a single pair differs",
			countOf(n, "run"), small.Name, countOf(pairs, "comparison"), min(1, p), need)}
	}
	return nil
}
