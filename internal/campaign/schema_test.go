package campaign

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
	goldenfile "gotest.tools/v3/golden"

	"mpanalyze/internal/report/reporttest"
)

// TestSchemaIsCurrent derives the schema from the types of the result.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Result](), "urn:mpanalyze:compare", "Study of mpanalyze compare")
	if bytes.Equal(want, Schema()) {
		return
	}
	assert.Assert(t, goldenfile.FlagUpdate(), "schema.json is not what the types say: run go generate ./internal/campaign")
	assert.NilError(t, os.WriteFile("schema.json", want, 0o666))
	t.Error("schema.json written anew")
}
