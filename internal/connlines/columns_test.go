package connlines

import (
	"reflect"
	"slices"
	"testing"
)

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
