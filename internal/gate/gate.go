package gate

import (
	"fmt"
	"strconv"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
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

// Result is what a gate says about a report.
type Result struct {
	Gate *Gate
	// Failed and Unknown name the places where the gate fails, and those where it cannot be
	// judged with the reason: 20 of each, and then how many more there are.
	Failed, Unknown []string
	failed, unknown int
}

// Judge judges the connections of a report. A connection that carried no data is left out. judged
// is how many others there are.
func Judge(s report.Source, gates []*Gate) (results []Result, judged int, err error) {
	results = make([]Result, len(gates))
	for i, g := range gates {
		results[i].Gate = g
	}
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return nil, 0, err
		}
		if !campaign.CarriedData(c) {
			continue
		}
		judged++
		for k := range results {
			results[k].take(c)
		}
	}
	for i := range results {
		r := &results[i]
		r.Failed, r.Unknown = withRest(r.Failed, r.failed), withRest(r.Unknown, r.unknown)
	}
	return results, judged, nil
}

// take judges one connection.
func (r *Result) take(c *report.Connection) {
	for _, v := range r.Gate.Of.In(c) {
		switch {
		case v.Why != "":
			r.unknown++
			r.Unknown = named(r.Unknown, place(c, &v)+": "+v.Why)
		case r.Gate.holds(v.Value, r.Gate.limit):
			r.failed++
			r.Failed = named(r.Failed, place(c, &v)+": "+r.Gate.said(v.Value))
		}
	}
}

// named appends a line if the list is not full.
func named(list []string, line string) []string {
	if len(list) < maxNamed {
		list = append(list, line)
	}
	return list
}

// withRest says how many places are not named.
func withRest(list []string, all int) []string {
	if n := all - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return list
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
