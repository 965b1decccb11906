package metrics

import (
	_ "embed"
	"encoding/json"

	"mpanalyze/internal/catalogue"
)

// termRows has the rows of [Terms], sorted by name.
//
//go:embed terms.json
var termRows []byte

// Terms returns what the explain command knows besides metrics: figures within metrics,
// the clock of two captures, and the summary of many values. They have no series, and
// no other command takes their names.
func Terms() []catalogue.Metric { return decoded(termRows) }

// decoded returns the rows of a file.
func decoded(rows []byte) (all []catalogue.Metric) {
	if err := json.Unmarshal(rows, &all); err != nil {
		panic("metrics: rows of explain: " + err.Error()) // a test reads the files
	}
	for i := range all {
		all[i].Also = append([]string{}, all[i].Also...)
	}
	return all
}
