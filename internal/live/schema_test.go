package live

import (
	"bytes"
	"flag"
	"os"
	"reflect"
	"testing"

	"mpanalyze/internal/report/reporttest"
)

var update = flag.Bool("update", false, "write schema.json and the golden files anew; the run fails all the same, so that they are looked at")

// TestSchemaIsCurrent derives the schema from the types of an interval.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Interval](), "urn:mpanalyze:live", "Interval of mpanalyze live")
	if bytes.Equal(want, Schema()) {
		return
	}
	if !*update {
		t.Fatal("schema.json is not what the types say: run go generate ./internal/live")
	}
	if err := os.WriteFile("schema.json", want, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Error("schema.json written anew")
}
