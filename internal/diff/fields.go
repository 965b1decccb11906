package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"mpanalyze/internal/report"
)

// fieldNames holds the names of all fields of reports.
var fieldNames = sync.OnceValue(func() map[string]bool {
	type object struct{ Properties map[string]any }
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	_ = json.Unmarshal(report.Schema(), &schema) // a test holds that it is JSON
	names := map[string]bool{}
	for _, o := range append(slices.Collect(maps.Values(schema.Defs)), schema.object) {
		for name := range o.Properties {
			names[name] = true
		}
	}
	return names
})

// always holds the fields that differ between two runs of one test, whatever was tested: who
// made the report of which files, moments, packet numbers, and what hosts draw at random. Texts
// for people repeat such numbers; codes stand beside them.
var always = []string{
	"made_by", "captures", "file", "sha256", "clock", "hosts",
	"start", "first", "last", "t_s", "start_s", "end_s", "first_s", "last_s",
	"packet", "offset",
	"port", "token", "token_a", "token_b", "cookie", "cookie_given",
	"text", "headline", "parameters", "detail", "message", "what", "remedy", "vantage_evidence", "fallback", "unavailable",
}
