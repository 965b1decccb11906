package connlines

import (
	"bytes"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"

	"mpanalyze/internal/report/reporttest"
)

var update = flag.Bool("update", false, "write schema.json anew; the run fails all the same, so that it is looked at")

// TestSchemaIsCurrent derives the schema from the types of a line.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Line](), "urn:mpanalyze:connections", "Line of mpanalyze connections --json")
	if bytes.Equal(want, Schema()) {
		return
	}
	if !*update {
		t.Fatal("schema.json is not what the types say: run go generate ./internal/connlines")
	}
	if err := os.WriteFile("schema.json", want, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Error("schema.json written anew")
}

// TestPathFieldsAreColumns: CSV has each figure of a path that JSON has.
func TestPathFieldsAreColumns(t *testing.T) {
	path := reflect.TypeFor[Path]()
	for field := range path.Fields() {
		if name := field.Tag.Get("json"); name != "unavailable" && !slices.Contains(names(pathColumns), name) {
			t.Errorf("no column of CSV is called %s. Add it to pathColumns, beside the field", name)
		}
	}
}
