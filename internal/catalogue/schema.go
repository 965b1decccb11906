package catalogue

// SchemaName is the value of [Listing.Schema].
const SchemaName = "mpanalyze.explain/1"

// Listing is what explain --json prints.
type Listing struct {
	Schema  string   `json:"schema"`  // mpanalyze.explain/1
	Entries []Metric `json:"entries"` // metrics, their figures, states and codes of verdicts
}
