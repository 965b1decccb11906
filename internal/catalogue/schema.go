package catalogue

import _ "embed"

//go:generate go test .. -run TestSchemaIsCurrent/catalogue -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of [Listing]. The slice is shared: do not change it.
func Schema() []byte { return schema }

// SchemaName is the value of [Listing.Schema].
const SchemaName = "mpanalyze.explain/1"

// Listing is what explain --json prints.
type Listing struct {
	Schema  string   `json:"schema"`  // mpanalyze.explain/1
	Entries []Metric `json:"entries"` // metrics, their figures, states and codes of verdicts
}
