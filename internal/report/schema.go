package report

import _ "embed"

//go:generate go test .. -run TestSchemaIsCurrent/report -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of [Document]. The slice is
// shared: do not change it.
func Schema() []byte { return schema }
