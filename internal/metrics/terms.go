package metrics

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/subflow"
)

// termRows has the rows of [Terms], sorted by name.
//
//go:embed terms.json
var termRows []byte

// Terms returns what the explain command knows besides metrics: figures within metrics,
// the clock of two captures, and the summary of many values. They have no series, and
// no other command takes their names.
func Terms() []catalogue.Metric { return decoded(termRows) }

// metricRows has the rows of the metrics of each unit.
//
//go:embed metrics.json
var metricRows []byte

// rowsOf returns the rows of the metrics of a unit.
func rowsOf(unit string) []catalogue.Metric { return rowsByUnit()[unit] }

var rowsByUnit = sync.OnceValue(func() map[string][]catalogue.Metric {
	out := map[string][]catalogue.Metric{}
	for unit, rows := range read[map[string][]row](metricRows) {
		for _, r := range rows {
			m := r.Metric
			m.Figures, m.Form, m.BothEnds, m.Timed = r.Figures, r.Form, r.BothEnds, r.Timed
			m.Caveats = strings.ReplaceAll(m.Caveats, "{defaultMSS}", strconv.Itoa(subflow.DefaultMSS))
			out[unit] = append(out[unit], m)
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

// read reads a file of rows.
func read[T any](rows []byte) (all T) {
	if err := json.Unmarshal(rows, &all); err != nil {
		panic("metrics: rows of explain: " + err.Error()) // a test reads the files
	}
	return all
}

// decoded returns the rows of a file without units.
func decoded(rows []byte) []catalogue.Metric {
	all := read[[]catalogue.Metric](rows)
	for i := range all {
		all[i].Also = append([]string{}, all[i].Also...)
	}
	return all
}
