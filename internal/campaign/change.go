package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Change is one figure of a scenario against the baseline.
type Change struct {
	Scenario string         `json:"scenario"`
	Baseline string         `json:"baseline"`
	Metric   string         `json:"metric"`
	Better   metrics.Better `json:"better"`
	Before   float64        `json:"before"` // mean of the baseline's runs
	After    float64        `json:"after"`
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

// Changes holds each scenario against the baseline's scenario of its name, or
// against the baseline's only one, in each of the figures. Orders of sending and of
// arrival do not compare.
func (s *Set) Changes(figures []string, confidence float64) []Change {
	out := []Change{}
	for _, sc := range s.Scenarios {
		base := find(s.Baseline, sc.Name)
		if base == nil && len(s.Baseline) == 1 {
			base = s.Baseline[0]
		}
		if base == nil {
			continue
		}
		for _, name := range figures {
			before, after := base.values(name), sc.values(name)
			if len(before) > 0 && len(after) > 0 && sc.sends(name) == base.sends(name) {
				c := change(name, before, after, confidence)
				if sc.sends(name) {
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
	case c.Better == metrics.NeitherIsBetter:
		c.Verdict = "changed"
	case grew == (c.Better == metrics.HigherIsBetter):
		c.Verdict = "better"
	default:
		c.Verdict = "worse"
	}
	return c
}

// Limit is how much worse a metric may get.
type Limit struct {
	Text    string
	metric  string // name with or without unit, perhaps with a statistic: protocol_delay.max
	worse   float64
	percent bool
}

// ParseLimit reads METRIC[.STATISTIC]>AMOUNT, the amount in percent of the
// baseline ("5%") or in the metric's unit ("3"). Without statistic it is that
// of the average.
func ParseLimit(text string) (Limit, error) {
	name, amount, ok := strings.Cut(text, ">")
	l := Limit{Text: text, metric: strings.TrimSpace(name)}
	number, percent := strings.CutSuffix(strings.TrimSpace(amount), "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || l.metric == "" || err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return l, fmt.Errorf("%q: want METRIC>AMOUNT, as in protocol_delay>5%% or goodput.min>0.5", text)
	}
	l.worse, l.percent = v, percent
	if l.metric, err = metrics.Resolve(l.metric); err != nil {
		return l, fmt.Errorf("%q: %w; mpanalyze explain lists all", text, err)
	}
	metric, _, _ := strings.Cut(l.metric, ".")
	rows := metrics.Lookup(metric)
	if rows[0].Better == metrics.NeitherIsBetter {
		return l, fmt.Errorf("%q: neither way of %s is better, so it cannot get worse", text, metric)
	}
	return l, nil
}

// Covers reports whether the limit is about a figure. A metric of the
// connection is meant as a whole: what its paths do may shift between them.
func (l *Limit) Covers(figure string) bool {
	m, stat := metricOf(figure)
	if m.Name == "" {
		return false
	}
	name, want, _ := strings.Cut(l.metric, ".")
	if want == "" && stat != "" {
		want = "avg"
	}
	return (name == m.Name || name == m.JSON) && stat == want && (ofConnection(figure) || !hasConnection(name))
}

// ofConnection reports whether a figure is one of the connection's direction
// and not of a path's.
func ofConnection(figure string) bool {
	m, _ := metricOf(figure)
	_, rest, _ := strings.Cut(figure, ".")
	return strings.HasPrefix(rest+".", m.JSON+".")
}

// hasConnection reports whether connections have a metric of that name.
func hasConnection(name string) bool {
	for _, m := range metrics.Lookup(name) {
		if slices.Contains(m.Levels, metrics.OfConnectionDir) {
			return true
		}
	}
	return false
}

// Exceeded reports whether a figure got worse by more than the limit at the
// confidence of its interval: the whole interval lies beyond it.
func (l *Limit) Exceeded(c *Change) bool {
	interval := c.DifferenceCI
	if l.percent {
		if c.PercentCI == nil {
			return false
		}
		interval = *c.PercentCI
	}
	if c.Better == metrics.HigherIsBetter {
		return -interval[1] > l.worse
	}
	return interval[0] > l.worse
}
