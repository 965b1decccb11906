package gate

import (
	"fmt"
	"strconv"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/checks"
	"mpanalyze/internal/report"
)

// Gate is one condition that fails a report.
type Gate struct {
	Text  string // as it was given
	Of    campaign.Wanted
	holds func(value, limit float64) bool // the comparison
	limit float64                         // in the unit of the figure
}

// signs holds the comparisons, longer ones before their beginnings.
var signs = []struct {
	sign  string
	holds func(value, limit float64) bool
}{
	{"<=", func(v, l float64) bool { return v <= l }},
	{">=", func(v, l float64) bool { return v >= l }},
	{"==", func(v, l float64) bool { return v == l }},
	{"!=", func(v, l float64) bool { return v != l }},
	{"<", func(v, l float64) bool { return v < l }},
	{">", func(v, l float64) bool { return v > l }},
}

// Parse reads FIGURE SIGN LIMIT, as in "path.LTE.srtt.p95 > 120ms".
func Parse(text string) (*Gate, error) {
	name, limit, holds := cut(text)
	if holds == nil || name == "" || limit == "" {
		return nil, fmt.Errorf("%q: want FIGURE < LIMIT or FIGURE > LIMIT in quotes, as in 'b2a.goodput < 5Mbit/s'", text)
	}
	of, err := campaign.ParseWanted(name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	g := &Gate{Text: strings.TrimSpace(text), Of: of, holds: holds}
	if g.limit, err = catalogue.ParseQuantity(limit, of.Unit); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return g, nil
}

// cut cuts a text at the first comparison; holds is nil where there is none.
func cut(text string) (name, limit string, holds func(value, limit float64) bool) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return "", "", nil
	}
	for _, s := range signs {
		if limit, ok := strings.CutPrefix(text[at:], s.sign); ok {
			return strings.TrimSpace(text[:at]), strings.TrimSpace(limit), s.holds
		}
	}
	return "", "", nil
}

// said writes a value beside the limit, with so many digits that the two differ if they do.
func (g *Gate) said(value float64) string {
	digits := 4
	if number(value, digits) == number(g.limit, digits) && value != g.limit {
		digits = -1
	}
	return fmt.Sprintf("%s, limit %s", withUnit(value, g.Of.Unit, digits), withUnit(g.limit, g.Of.Unit, -1))
}

func number(v float64, digits int) string {
	if a := max(v, -v); a >= 1e4 && a < 1e15 { // bytes are not written as 1e+06
		return strconv.FormatFloat(v, 'f', min(digits, 0), 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

func withUnit(v float64, unit string, digits int) string {
	switch text := number(v, digits); unit {
	case "":
		return text
	case "percent":
		return text + "%"
	default:
		return text + " " + unit
	}
}

// maxNamed is how many places of a gate a result names.
const maxNamed = 20

// places are where a gate fails, or cannot be judged.
type places struct {
	named []string // the first of them
	all   int
}

func (p *places) add(line string) {
	if p.all++; len(p.named) < maxNamed {
		p.named = append(p.named, line)
	}
}

// tell adds the places to a check, and how many are not named. lead begins each line.
func (p *places) tell(c *checks.Check, status checks.Status, lead string) {
	for _, line := range p.named {
		c.Add(status, lead+line)
	}
	if n := p.all - len(p.named); n > 0 {
		c.Add(status, fmt.Sprintf("%sand %d more", lead, n))
	}
}

// Judge judges the connections of a report by gates, and returns a check for each. Its lines are the
// places where the gate fails, and those where it cannot be judged with the reason: 20 of each, and
// how many more there are. A connection that carried no data is left out. judged is how many others
// there are.
func Judge(s report.Source, gates []*Gate) (results []checks.Check, judged int, err error) {
	failed, unknown := make([]places, len(gates)), make([]places, len(gates))
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return nil, 0, err
		}
		if !campaign.CarriedData(c) {
			continue
		}
		judged++
		for k, g := range gates {
			g.judge(c, &failed[k], &unknown[k])
		}
	}
	for k, g := range gates {
		check := checks.Check{Name: g.Text}
		failed[k].tell(&check, checks.Failed, "")
		unknown[k].tell(&check, checks.Unknown, "cannot tell: ")
		results = append(results, check)
	}
	return results, judged, nil
}

// judge judges one connection.
func (g *Gate) judge(c *report.Connection, failed, unknown *places) {
	for _, v := range g.Of.In(c) {
		switch {
		case v.Why != "":
			unknown.add(place(c, &v) + ": " + v.Why)
		case g.holds(v.Value, g.limit):
			failed.add(place(c, &v) + ": " + g.said(v.Value))
		}
	}
}

// place says where a figure is.
func place(c *report.Connection, v *campaign.Value) string {
	text := fmt.Sprintf("connection %d", c.ID)
	if v.Direction != "" {
		text += ", " + string(v.Direction)
	}
	if v.Path != "" {
		text += ", path " + v.Path
	}
	return text
}
