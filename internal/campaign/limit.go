package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// Limit says by how much a metric may get worse.
type Limit struct {
	Text      string
	direction report.Direction // empty for that of the tables
	path      string           // pattern of labels; empty where none is named
	metric    string           // name with or without unit, and optionally a statistic: protocol_delay.max
	worse     float64
	percent   bool
}

// ParseLimit reads [DIRECTION.][path.LABEL.]METRIC[.STATISTIC]>AMOUNT, with the amount in
// percent of the baseline ("5%") or in the metric's unit ("3", "3ms"). Where no statistic is
// named, it is a limit on the one of [catalogue.Metric.Usual].
func ParseLimit(text string) (Limit, error) {
	name, amount, ok := strings.Cut(text, ">")
	l := Limit{Text: text}
	if name = strings.TrimSpace(name); !ok || name == "" {
		return l, fmt.Errorf("%q: want METRIC>AMOUNT, as in protocol_delay>5%% or goodput.min>500kbit/s", text)
	}
	var err error
	l.direction, name = splitDirection(name)
	if l.path, l.metric, err = splitLabel(name); err != nil {
		return l, fmt.Errorf("%q: %w", text, err)
	}
	if l.worse, l.percent, err = catalogue.ParseAmount(amount, unitOfMetric(l.metric)); err != nil {
		return l, fmt.Errorf("%q: %w", text, err)
	}
	metric, _, _ := strings.Cut(l.metric, ".")
	rows := catalogue.Lookup(metrics.Table(), metric)
	if rows[0].Better == catalogue.NeitherIsBetter {
		return l, fmt.Errorf("%q: neither way of %s is better, so it cannot get worse", text, metric)
	}
	return l, nil
}

// unitOfMetric returns the unit of a metric with its statistic. It is empty where the name
// stands for figures of several units.
func unitOfMetric(metric string) string {
	var w Wanted
	if w.find(metric) != nil {
		return ""
	}
	return w.Unit
}

// Metric returns the name of the metric, without direction and path.
func (l *Limit) Metric() string { return l.metric }

// Figures returns the figures of any run that the limit applies to. d is the direction of the
// tables.
func (l *Limit) Figures(s *Set, d report.Direction) []string {
	if l.direction != "" {
		d = l.direction
	}
	return slices.DeleteFunc(s.Match(l.metric, d), func(f string) bool { return !l.Covers(f) })
}

// Covers reports whether the limit applies to a figure. A limit on a metric of the connection
// applies to the figure of the whole connection, not to those of its paths, unless it names
// paths.
func (l *Limit) Covers(figure string) bool {
	m, stat := metricOf(figure)
	direction, path, _ := splitFigure(figure)
	if m.Name == "" || l.direction != "" && string(l.direction) != direction {
		return false
	}
	name, want, _ := strings.Cut(l.metric, ".")
	if want == "" && stat != "" {
		want = m.Usual()
	}
	if (name != m.Name && name != m.JSON) || stat != want && stat != want+".percent" {
		return false
	}
	if l.path != "" {
		return path != "" && wildcard(l.path, path)
	}
	return path == "" || !hasConnection(name)
}

// hasConnection reports whether connections have a metric of that name.
func hasConnection(name string) bool {
	return slices.ContainsFunc(catalogue.Lookup(metrics.Table(), name), func(m catalogue.Metric) bool {
		return slices.Contains(m.Levels, catalogue.OfConnectionDir)
	})
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
	var figures bykey.Lists[*Change]
	for i := range changes {
		if c := &changes[i]; l.Covers(c.Metric) {
			figures.Add(c.Metric, c)
		}
	}
	for _, f := range figures.Keys {
		var tests []tested
		for _, c := range figures.Of[f] {
			tests = append(tests, test(c.after, l.allowed(c)))
		}
		for i, d := range decide(tests, levelOf(confidence)) {
			c := figures.Of[f][i]
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
