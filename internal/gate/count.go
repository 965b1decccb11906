package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/schemas"
)

// counted is a connection for [counts]. Of a plain TCP connection it has the verdicts alone.
type counted struct {
	*report.Connection
	verdicts *report.List[report.Verdict]
}

// counts are figures of a connection that no metric has, by what stands before a dot and a kind, if there is one.
var counts = map[string]struct {
	kinds  []string // definitions in the schema of reports that list the kinds; none for a figure without one
	unit   string
	family catalogue.Families // without which there is none
	of     func(c counted, kind string) (n float64, why string)
}{
	"subflows": {of: func(c counted, _ string) (float64, string) { return established(c, 0), "" }},
	"joins":    {of: func(c counted, _ string) (float64, string) { return established(c, 1), "" }},
	"duration": {unit: "ms", of: func(c counted, _ string) (float64, string) { return c.DurationS * 1000, "" }},
	"events": {kinds: []string{"EventKind"}, of: func(c counted, kind string) (n float64, why string) {
		n = number(c.Events, func(e *report.Event) bool { return string(e.Kind) == kind })
		if c.EventsOmitted > 0 {
			why = fmt.Sprintf("the report lists %v, and leaves out %d events of any kind", n, c.EventsOmitted)
		}
		return n, why
	}},
	"verdicts": {kinds: []string{"VerdictCode", "CauseCode"}, family: catalogue.FamilyVerdicts, of: func(c counted, kind string) (n float64, why string) {
		if c.verdicts == nil {
			return 0, "the report has no verdicts"
		}
		return number(*c.verdicts, func(v *report.Verdict) bool {
			return string(v.Code) == kind || v.Cause != nil && string(v.Cause.Code) == kind
		}), ""
	}},
}

// number counts the items of a list that fit.
func number[T any](list []T, fits func(*T) bool) (n float64) {
	for i := range list {
		if fits(&list[i]) {
			n++
		}
	}
	return n
}

// established counts the subflows from the one with this number on whose handshake was completed.
func established(c counted, from int) float64 {
	none := []report.SubflowState{report.SubflowRefused, report.SubflowUnanswered, report.SubflowSYNReceived, report.SubflowPreEstablished}
	return number(c.Subflows[min(from, len(c.Subflows)):], func(s *report.Subflow) bool { return !slices.Contains(none, s.State) })
}

// Counts returns the names of all counts, in order.
var Counts = sync.OnceValue(func() (names []string) {
	var schema struct {
		Defs map[string]struct{ Examples, Enum []string } `json:"$defs"`
	}
	_ = json.Unmarshal(schemas.Of("report"), &schema) // a test holds that it is JSON
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name].kinds == nil {
			names = append(names, name)
		}
		for _, of := range counts[name].kinds {
			for _, kind := range append(schema.Defs[of].Examples, schema.Defs[of].Enum...) {
				names = append(names, name+"."+kind)
			}
		}
	}
	return names
})

// parseCount reads the name of a count, and reports whether it is one.
func (g *Gate) parseCount(name string) bool {
	head, kind, _ := strings.Cut(name, ".")
	count := counts[head]
	g.Of = campaign.Wanted{Metric: catalogue.Metric{Name: name, Family: count.family}, Field: kind, Unit: count.unit}
	g.count = count.of
	return slices.Contains(Counts(), name)
}
