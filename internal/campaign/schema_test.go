package campaign

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"mpanalyze/internal/report/reporttest"
)

// TestSchemaIsCurrent derives the schema from the types of the result.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Result](), "urn:mpanalyze:compare", "Study of mpanalyze compare")
	if bytes.Equal(want, Schema()) {
		return
	}
	if !*update {
		t.Fatal("schema.json is not what the types say: run go generate ./internal/campaign")
	}
	if err := os.WriteFile("schema.json", want, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Error("schema.json written anew")
}
