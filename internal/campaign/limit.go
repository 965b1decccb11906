package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// Limit says by how much a metric may get worse.
type Limit struct {
	Text string
	Wanted
	worse   float64
	percent bool
}

// ParseLimit reads FIGURE>AMOUNT: a figure as [ParseWanted] reads it, and the amount in percent of the baseline ("5%") or in the
// metric's unit ("3", "3ms").
func ParseLimit(text string) (Limit, error) {
	name, amount, ok := strings.Cut(text, ">")
	l := Limit{Text: text}
	if name = strings.TrimSpace(name); !ok || name == "" {
		return l, fmt.Errorf("%q: want METRIC>AMOUNT, as in protocol_delay>5%% or goodput.min>500kbit/s", text)
	}
	var err error
	if l.Wanted, err = ParseWanted(name); err == nil {
		l.worse, l.percent, err = catalogue.ParseAmount(amount, l.Unit)
	}
	switch {
	case err != nil:
		return l, fmt.Errorf("%q: %w", text, err)
	case l.Metric.Better == catalogue.NeitherIsBetter:
		return l, fmt.Errorf("%q: neither way of %s is better, so it cannot get worse", text, l.Metric.Name)
	}
	return l, nil
}

// Figures returns the figures of any run that the limit applies to. d is the direction of the
// tables.
func (l *Limit) Figures(s *Set, d report.Direction) []string {
	d = cmp.Or(l.Direction, d)
	return slices.DeleteFunc(s.Match(string(d)+".*", d), func(f string) bool { return !l.Covers(f) })
}

// Covers reports whether the limit applies to a figure. A limit on a metric of the connection
// applies to the figure of the whole connection, not to those of its paths, unless it names
// paths.
func (l *Limit) Covers(figure string) bool {
	direction, path, field := splitFigure(figure)
	if field != l.Field || l.Direction != "" && string(l.Direction) != direction {
		return false
	}
	return (path == "") == (l.Level == catalogue.OfConnectionDir) && (l.Path == "" || wildcard(l.Path, path))
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
