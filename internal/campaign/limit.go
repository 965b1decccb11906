package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

// Limit is how much worse a metric may get.
type Limit struct {
	Text    string
	metric  string // name with or without unit, perhaps with a statistic: protocol_delay.max
	worse   float64
	percent bool
}

// ParseLimit reads METRIC[.STATISTIC]>AMOUNT, the amount in percent of the
// baseline ("5%") or in the metric's unit ("3"). Without a statistic the average is
// meant.
func ParseLimit(text string) (Limit, error) {
	name, amount, ok := strings.Cut(text, ">")
	l := Limit{Text: text, metric: strings.TrimSpace(name)}
	number, percent := strings.CutSuffix(strings.TrimSpace(amount), "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || l.metric == "" || err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return l, fmt.Errorf("%q: want METRIC>AMOUNT, as in protocol_delay>5%% or goodput.min>0.5", text)
	}
	l.worse, l.percent = v, percent
	if l.metric, err = catalogue.Resolve(metrics.Table(), l.metric); err != nil {
		return l, fmt.Errorf("%q: %w; mpanalyze explain lists all", text, err)
	}
	metric, _, _ := strings.Cut(l.metric, ".")
	rows := catalogue.Lookup(metrics.Table(), metric)
	if rows[0].Better == catalogue.NeitherIsBetter {
		return l, fmt.Errorf("%q: neither way of %s is better, so it cannot get worse", text, metric)
	}
	return l, nil
}

// Covers reports whether the limit is about a figure. A limit on a metric of the
// connection covers the figure of the whole connection, not those of its paths.
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
	for _, m := range catalogue.Lookup(metrics.Table(), name) {
		if slices.Contains(m.Levels, catalogue.OfConnectionDir) {
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
	if c.Better == catalogue.HigherIsBetter {
		return -interval[1] > l.worse
	}
	return interval[0] > l.worse
}
