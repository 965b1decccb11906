package csvtables

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// TestTablesAreDescribed holds that the columns that Tables describes are those of the
// files, in their order, each with a description.
func TestTablesAreDescribed(t *testing.T) {
	dir := t.TempDir()
	w, err := New(dir, Options{Series: true, Chunks: true, Packets: true})
	assert.NilError(t, err)
	assert.NilError(t, w.Document(&report.Document{}))
	assert.NilError(t, w.Close())
	tables := Tables()
	for _, table := range tables {
		text, err := os.ReadFile(filepath.Join(dir, table.Name))
		if err != nil {
			t.Error(err)
			continue
		}
		assert.Check(t, is.DeepEqual(header(table.Columns), strings.TrimSpace(string(text))), "%s: - written, + described", table.Name)
		for _, c := range table.Columns {
			assert.Check(t, len(c.Description) >= 4 && c.Type != "", "%s: column %s has no description or no type: %+v", table.Name, c.Name, c)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != len(tables) {
		t.Errorf("%d files, %d of them described: %v", len(files), len(tables), err)
	}
}

// TestColumnTypes compares the names of types with what is written.
func TestColumnTypes(t *testing.T) {
	row := struct {
		Bool  bool
		Float float64
		Text  string
		Int   int64
		List  []float64
		Items []string
	}{true, 2.5, "a", 7, []float64{50, 0, 12.5}, []string{"x", "y", "z"}}
	want := map[string][2]string{
		"Bool": {"boolean", "true"}, "Float": {"number", "2.5"}, "Text": {"text", "a"}, "Int": {"integer", "7"},
		"List": {"numbers", "50;0;12.5"}, "Items": {"count", "3"},
	}
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		name, typ := v.Type().Field(i).Name, v.Field(i).Type()
		column, add := valueOf(typ)
		if got := [2]string{column, string(add(nil, v.Field(i)))}; got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}
