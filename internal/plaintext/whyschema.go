package plaintext

import _ "embed"

//go:generate go test -run TestSchemaIsCurrent -update

//go:embed why.schema.json
var whySchema []byte

// WhySchema returns the JSON Schema (draft 2020-12) of what [WhyJSON] writes: why.source.json with
// the types of the report that it refers to. The slice is shared: do not change it.
func WhySchema() []byte { return whySchema }
