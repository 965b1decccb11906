package connlines

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/report/reporttest"
)

// TestSchemaIsCurrent derives the schema from the types of a line.
func TestSchemaIsCurrent(t *testing.T) {
	want := reporttest.Schema(t, reflect.TypeFor[Line](), "urn:mpanalyze:connections", "Line of mpanalyze connections --format json")
	if bytes.Equal(want, Schema()) {
		return
	}
	assert.Assert(t, golden.FlagUpdate(), "schema.json is not what the types say: run go generate ./internal/connlines")
	assert.NilError(t, os.WriteFile("schema.json", want, 0o666))
	t.Error("schema.json written anew")
}

// jsonAlone are the fields that have no column of CSV, or several.
var jsonAlone = []string{"schema", "a", "b", "subflows", "token_a", "token_b", "fallback_code", "a2b", "b2a"}

// TestFieldsAreColumns: CSV has the figures of a line and of a path in JSON, by the same names, in
// the same order.
func TestFieldsAreColumns(t *testing.T) {
	line := slices.DeleteFunc(fields(reflect.TypeFor[Line]()), func(name string) bool { return slices.Contains(jsonAlone, name) })
	if got, _ := cells((*Line)(nil)); !slices.Equal(got, line) {
		t.Errorf("CSV has of a line\n%q, and the fields of Line are\n%q. Give each field its name for CSV, or write it into jsonAlone", got, line)
	}
	path := fields(reflect.TypeFor[Path]())
	for _, name := range fields(reflect.TypeFor[Drops]())[1:] { // the first one is the column drops
		path = append(path, "drops_"+name)
	}
	if got, _ := cells((*Path)(nil)); !slices.Equal(got, path) {
		t.Errorf("CSV has of a path\n%q, and the fields of Path and Drops are\n%q. Give each field its name for CSV", got, path)
	}
}

// fields returns the names of the figures in a structure. Reasons are none.
func fields(of reflect.Type) (names []string) {
	for f := range of.Fields() {
		if name := f.Tag.Get("json"); name != "unavailable" {
			names = append(names, name)
		}
	}
	return names
}

// TestFieldsAreDescribed: the schema describes a field by its comment.
func TestFieldsAreDescribed(t *testing.T) {
	type structure struct {
		Properties map[string]struct{ Description string }
	}
	var all struct {
		structure
		Defs map[string]structure `json:"$defs"`
	}
	assert.NilError(t, json.Unmarshal(Schema(), &all))
	for _, s := range []structure{all.structure, all.Defs["Direction"], all.Defs["Path"], all.Defs["Drops"], all.Defs["Verdict"]} {
		for name, field := range s.Properties {
			assert.Check(t, field.Description != "", "%s has no description. Give its field a comment, and run go generate ./internal/connlines", name)
		}
		assert.Check(t, len(s.Properties) != 0, "a type of a line is not in the schema")
	}
}
