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

// Limit says by how much a metric may get worse.
type Limit struct {
	Text    string
	metric  string // name with or without unit, and optionally a statistic: protocol_delay.max
	worse   float64
	percent bool
}

// ParseLimit reads METRIC[.STATISTIC]>AMOUNT, with the amount in percent of the baseline
// ("5%") or in the metric's unit ("3"). Without a statistic it is a limit on the average.
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
		return l, fmt.Errorf("%q: %w", text, err)
	}
	metric, _, _ := strings.Cut(l.metric, ".")
	rows := catalogue.Lookup(metrics.Table(), metric)
	if rows[0].Better == catalogue.NeitherIsBetter {
		return l, fmt.Errorf("%q: neither way of %s is better, so it cannot get worse", text, metric)
	}
	return l, nil
}

// Covers reports whether the limit applies to a figure. A limit on a metric of the connection
// applies to the figure of the whole connection, not to those of its paths.
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

// ofConnection reports whether a figure belongs to a direction of the connection, and not to a
// path.
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

// Judgement says whether a change exceeds a limit.
type Judgement struct {
	Change   *Change
	Exceeded bool
	// CannotTell says that no values of so few runs could show that the limit is exceeded.
	CannotTell bool
}

// Judge judges all changes that the limit applies to. It makes each run of the baseline worse
// by the limit and then uses the same test and correction as for changes: a limit is exceeded
// if the runs are worse than these by more than noise. This is about the same as an interval
// that lies wholly beyond the limit.
func (l *Limit) Judge(changes []Change, confidence float64) (out []Judgement) {
	figures := map[string][]*Change{}
	var order []string
	for i := range changes {
		c := &changes[i]
		if !l.Covers(c.Metric) {
			continue
		}
		if figures[c.Metric] == nil {
			order = append(order, c.Metric)
		}
		figures[c.Metric] = append(figures[c.Metric], c)
	}
	for _, f := range order {
		var tests []tested
		for _, c := range figures[f] {
			tests = append(tests, test(c.after, l.allowed(c)))
		}
		for i, d := range decide(tests, levelOf(confidence)) {
			c := figures[f][i]
			worse := (tests[i].Effect > 0) == (c.Better == catalogue.LowerIsBetter)
			out = append(out, Judgement{c, d.verdict == differs && worse, d.verdict == CannotTell})
		}
	}
	return out
}

// allowed returns the runs of the baseline, each made worse by the limit.
func (l *Limit) allowed(c *Change) []float64 {
	out := make([]float64, len(c.before))
	for i, v := range c.before {
		by := l.worse
		if l.percent {
			by = l.worse / 100 * math.Abs(v)
		}
		if c.Better == catalogue.HigherIsBetter {
			by = -by
		}
		out[i] = v + by
	}
	return out
}
