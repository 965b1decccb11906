package gate

import (
	"fmt"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

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
