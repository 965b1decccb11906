package catalogue_test

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report/reporttest"
)

// TestSchemaIsCurrent derives the schema from the types of a listing.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[catalogue.Listing](), "urn:mpanalyze:explain", "What mpanalyze explain --json prints")
	if bytes.Equal(want, catalogue.Schema()) {
		return
	}
	assert.Assert(t, golden.FlagUpdate(), "schema.json is not what the types say: run go generate ./internal/catalogue")
	assert.NilError(t, os.WriteFile("schema.json", want, 0o666))
	t.Error("schema.json written anew")
}
