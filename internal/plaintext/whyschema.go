package plaintext

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"mpanalyze/internal/report"
)

//go:embed why.schema.json
var whySchema []byte

// reference finds the types that a schema refers to.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"\$ref":\s*"#/\$defs/(\w+)"`)
})

// WhySchema returns the JSON Schema (draft 2020-12) of what [WhyJSON] writes. It copies types of
// the report from the schema of the report.
func WhySchema() ([]byte, error) {
	var whole struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(report.Schema(), &whole); err != nil {
		return nil, fmt.Errorf("reading the schema of reports: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(whySchema, &out); err != nil {
		return nil, fmt.Errorf("reading the schema of why: %w", err)
	}
	defs := out["$defs"].(map[string]any)
	for open := reference().FindAllSubmatch(whySchema, -1); len(open) > 0; open = open[1:] {
		name := string(open[0][1])
		if defs[name] != nil {
			continue
		}
		if whole.Defs[name] == nil {
			return nil, fmt.Errorf("the schema of reports has no %s", name)
		}
		defs[name] = whole.Defs[name]
		open = append(open, reference().FindAllSubmatch(whole.Defs[name], -1)...)
	}
	var text bytes.Buffer
	err := report.WriteIndented(&text, out, "", "  ")
	return text.Bytes(), err
}
