package live

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/report/reporttest"
)

// TestSchemaIsCurrent derives the schema from the types of an interval.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Interval](), "urn:mpanalyze:live", "Interval of mpanalyze live")
	if bytes.Equal(want, Schema()) {
		return
	}
	assert.Assert(t, golden.FlagUpdate(), "schema.json is not what the types say: run go generate ./internal/live")
	assert.NilError(t, os.WriteFile("schema.json", want, 0o666))
	t.Error("schema.json written anew")
}
