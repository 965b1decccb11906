package diff

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/report"
)

// fieldNames holds the names of all fields of reports.
var fieldNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	var schema any
	if json.Unmarshal(report.Schema(), &schema) == nil { // a test holds that it is JSON
		collect(schema, names)
	}
	return names
})

// collect notes the names of the properties in a schema.
func collect(schema any, names map[string]bool) {
	switch s := schema.(type) {
	case map[string]any:
		for key, v := range s {
			if properties, ok := v.(map[string]any); ok && key == "properties" {
				for name := range properties {
					names[name] = true
				}
			}
			collect(v, names)
		}
	case []any:
		for _, v := range s {
			collect(v, names)
		}
	}
}

// field reports whether a name, or each part of one with dots, is a field of reports.
func field(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !fieldNames()[part] {
			return false
		}
	}
	return true
}

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

// varies reports whether a field is one of those.
func varies(name string) bool { return slices.Contains(always, name) }
