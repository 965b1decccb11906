package connlines

import _ "embed"

//go:generate go test -run TestSchemaIsCurrent -update

// SchemaName is the value of [Line.Schema].
const SchemaName = "mpanalyze.connections/1"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of [Line]. The slice is shared: do not change it.
func Schema() []byte { return schema }
