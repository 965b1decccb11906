package diff

import (
	"encoding/json"
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
