package metrics

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
)

// termRows has the rows of [Terms], sorted by name.
//
//go:embed terms.json
var termRows []byte

// Terms returns what the explain command knows besides metrics: figures within metrics,
// the clock of two captures, and the summary of many values. They have no series, and
// no other command takes their names.
func Terms() []catalogue.Metric { return decoded(termRows) }

// metricRows has the rows of each unit. Limits and lists stand in braces there.
//
//go:embed metrics.json
var metricRows []byte

// rows returns the definitions of the figures of a unit. They are read when they are first asked for.
func (u *unit) rows() []catalogue.Metric { return rowsByUnit()[u.key] }

// rowsByUnit returns all rows. The first row of a unit with the name of a series is marked as having one.
var rowsByUnit = sync.OnceValue(func() map[string][]catalogue.Metric {
	fill := strings.NewReplacer(
		"{defaultMSS}", strconv.Itoa(subflow.DefaultMSS), "{deadAfter}", fmt.Sprint(symptoms.DeadAfter/1e9), "{deadRounds}", fmt.Sprint(symptoms.DeadRounds),
		"{states}", stateList(func(m *catalogue.Metric) string { return m.Definition }), "{rules}", stateList(func(m *catalogue.Metric) string { return m.Formula + "." }),
	)
	out := map[string][]catalogue.Metric{}
	for unit, rows := range catalogue.Read[map[string][]row](metricRows) {
		for _, r := range rows {
			m := r.Metric
			m.Figures, m.Form, m.BothEnds, m.Timed = r.Figures, r.Form, r.BothEnds, r.Timed
			m.Definition, m.Formula, m.Caveats = fill.Replace(m.Definition), fill.Replace(m.Formula), fill.Replace(m.Caveats)
			out[unit] = append(out[unit], m)
		}
	}
	for _, u := range units {
		for _, s := range u.series {
			m := &out[u.key][slices.IndexFunc(out[u.key], func(m catalogue.Metric) bool { return m.Name == s.name })]
			m.Series, m.Holds = true, s.holds
		}
	}
	return out
})

// row is a row with what explain does not tell.
type row struct {
	catalogue.Metric
	Figures         map[string]string
	Form            catalogue.Form
	BothEnds, Timed bool
}

// decoded returns the rows of a file without units.
func decoded(rows []byte) []catalogue.Metric {
	all := catalogue.Read[[]catalogue.Metric](rows)
	for i := range all {
		all[i].Also = append([]string{}, all[i].Also...)
	}
	return all
}
