package gate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/checks"
	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// Gate is one condition that fails a report.
type Gate struct {
	Text  string // as it was given
	Of    campaign.Wanted
	holds func(value, limit float64) bool                      // the comparison
	limit float64                                              // in the unit of the figure
	share bool                                                 // the figure is one in bytes, in percent of the bytes of its direction
	count func(c counted, kind string) (n float64, why string) // in place of a figure of a metric; nil for none
}

// signs holds the comparisons.
var signs = map[string]func(value, limit float64) bool{
	"<=": func(v, l float64) bool { return v <= l },
	">=": func(v, l float64) bool { return v >= l },
	"==": func(v, l float64) bool { return v == l },
	"!=": func(v, l float64) bool { return v != l },
	"<":  func(v, l float64) bool { return v < l },
	">":  func(v, l float64) bool { return v > l },
}

// form matches a limit: a figure, a comparison and a number.
var form = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^\s*([^<>=!\s][^<>=!]*?)\s*([<>]=?|[=!]=)\s*(\S.*?)\s*$`)
})

// Parse reads FIGURE SIGN LIMIT, as in "path.LTE.srtt.p95 > 120ms".
func Parse(text string) (*Gate, error) {
	m := form().FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q: want FIGURE < LIMIT or FIGURE > LIMIT in quotes, as in 'b2a.goodput < 5Mbit/s'", text)
	}
	g := &Gate{Text: strings.TrimSpace(text), holds: signs[m[2]]}
	err := g.parse(m[1])
	if err == nil {
		g.limit, err = catalogue.ParseQuantity(m[3], g.Of.Unit)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return g, nil
}

// parse reads the name of a figure: a count, a figure of a metric, or NAME.percent of a metric NAME_bytes.
func (g *Gate) parse(name string) (err error) {
	if g.parseCount(name) {
		return nil
	}
	if g.Of, err = campaign.ParseWanted(name); err == nil {
		return nil
	}
	if part, ok := strings.CutSuffix(name, ".percent"); ok {
		if of, e := campaign.ParseWanted(part + "_bytes"); e == nil && of.Level == catalogue.OfConnectionDir {
			g.Of, g.share = of, true
			g.Of.Unit = "percent"
			return nil
		}
	}
	if near := catalogue.DidYouMean(name, Counts()); near != "" || g.count != nil {
		err = fmt.Errorf("no figure %q%s", name, cmp.Or(near, "; mpanalyze explain --schema has the kinds of events, mpanalyze explain the codes of verdicts"))
	}
	return err
}

// said writes a value beside the limit.
func (g *Gate) said(value float64) string {
	return withUnit(value, g.Of.Unit) + ", limit " + withUnit(g.limit, g.Of.Unit)
}

func withUnit(v float64, unit string) string {
	unit = strings.TrimRight(" "+unit, " ")
	if unit == " percent" {
		unit = "%"
	}
	return string(decimal.AppendRounded(nil, v)) + unit
}

// Judge judges the connections of a report by gates, and returns a check for each. Its lines are the
// places where the gate fails, and those where it cannot be judged with the reason. A connection that carried no data is left out, except for events and verdicts; the latter are those of
// plain TCP connections, too. judged is how many others there are, for the gate that has the fewest.
func Judge(s report.Source, gates []*Gate) (results []checks.Check, judged int, err error) {
	numbers := make([]int, len(gates))
	for _, g := range gates {
		results = append(results, checks.Check{Name: g.Text})
	}
	judge := func(c counted, what string, wanted func(*Gate) bool) {
		for k, g := range gates {
			if wanted(g) {
				numbers[k]++
				g.judge(c, fmt.Sprintf("%s %d", what, c.ID), &results[k])
			}
		}
	}
	err = report.Each(s, func(_ int, c *report.Connection) {
		carried := campaign.CarriedData(c)
		judge(counted{c, c.Verdicts}, "connection", func(g *Gate) bool { return carried || g.count != nil && g.Of.Field != "" })
	}, func(_ int, c *report.TCP) {
		judge(counted{&report.Connection{ID: c.ID}, &c.Verdicts}, "TCP connection", func(g *Gate) bool { return g.count != nil && g.Of.Metric.Family == catalogue.FamilyVerdicts })
	})
	return results, slices.Min(numbers), err
}

// judge judges one connection.
func (g *Gate) judge(c counted, what string, check *checks.Check) {
	if g.count != nil {
		switch n, why := g.count(c, g.Of.Field); {
		case g.holds(n, g.limit):
			check.Add(checks.Failed, what+": "+g.said(n))
		case why != "":
			check.Add(checks.Unknown, "cannot tell: "+what+": "+why)
		}
		return
	}
	for _, v := range g.Of.In(c.Connection) {
		if g.share {
			v.Value *= 100 / float64(c.Dir(v.Direction).Volume())
		}
		switch {
		case v.Why != "":
			check.Add(checks.Unknown, "cannot tell: "+what+place(&v)+": "+v.Why)
		case g.holds(v.Value, g.limit):
			check.Add(checks.Failed, what+place(&v)+": "+g.said(v.Value))
		}
	}
}

// place says where a figure is within its connection.
func place(v *campaign.Value) (text string) {
	if v.Direction != "" {
		text += ", " + string(v.Direction)
	}
	if v.Path != "" {
		text += ", path " + v.Path
	}
	return text
}
