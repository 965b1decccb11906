package campaign

import _ "embed"

//go:generate go test .. -run TestSchemaIsCurrent/campaign -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of [Result]. The slice is
// shared: do not change it.
func Schema() []byte { return schema }
