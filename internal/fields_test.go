package internal_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestFieldsArePinned: each field of the report is compared somewhere with a value that is not its default. Otherwise
// a field that is forgotten, or mixed up with another one, would look right. The facts of a bundled session compare
// it, or testdata/pinned.txt names the test that does, or says why none does.
func TestFieldsArePinned(t *testing.T) {
	fields := map[string]reflect.StructField{}
	for _, root := range []reflect.Type{reflect.TypeFor[report.Document](), reflect.TypeFor[report.ShortConnection](), reflect.TypeFor[report.ShortTCP]()} {
		reportFields(root, fields)
	}
	pinned := map[string]bool{}
	markFacts(t, pinned)
	text, err := os.ReadFile("testdata/pinned.txt")
	assert.NilError(t, err)
	sources := map[string]string{} // of tests, by package
	for line := range strings.Lines(string(text)) {
		name, by, _ := strings.Cut(strings.TrimSpace(line), " ")
		field, exists := fields[name]
		assert.Check(t, exists, "%s: no report has this field", name)
		assert.Check(t, !pinned[name], "%s: facts of a session, or another line, pin it already", name)
		pinned[name] = true
		if strings.HasPrefix(by, "- ") {
			continue // a reason
		}
		pkg, test, _ := strings.Cut(by, ".")
		if sources[pkg] == "" {
			sources[pkg] = readTests(t, pkg)
		}
		assert.Check(t, strings.Contains(sources[pkg], "\nfunc "+test+"(t *testing.T)"), "%s: package %s has no test %s", name, pkg, test)
		word := regexp.MustCompile(`\b(` + field.Name + `|` + report.JSONName(field) + `)\b`)
		assert.Check(t, word.MatchString(sources[pkg]), "%s: no test of package %s names it", name, pkg)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		assert.Check(t, pinned[name], "no test compares %s with a number: write one, or say in testdata/pinned.txt why there is none", name)
	}
}

// readTests returns the source of the tests of a package.
func readTests(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	assert.NilError(t, err)
	var all []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		all = append(all, text...)
	}
	return string(all)
}

// under returns what a pointer points to, or a list holds.
func under(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of
}

// reportFields returns the fields of the JSON form of a type and of all types in it, by the name of the
// type that declares them, as in "Drops.Count".
func reportFields(of reflect.Type, out map[string]reflect.StructField) {
	of = under(of)
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[report.Reason]() {
		return
	}
	for x := range of.Fields() {
		name := of.Name() + "." + x.Name
		if _, seen := out[name]; seen || report.JSONName(x) == report.NoJSON {
			continue
		}
		if !x.Anonymous {
			out[name] = x
		}
		reportFields(x.Type, out)
	}
}

// fact is one figure of a session and its true value; engine compares reports with it.
type fact struct {
	Field, Subflow, Contains string
	Want                     any
	Between                  []float64
}

// markFacts marks the fields for which a bundled session has a true value that is not the default.
func markFacts(t *testing.T, pinned map[string]bool) {
	names, err := filepath.Glob("../testdata/sessions/*/*/expected.json")
	assert.NilError(t, err)
	assert.Assert(t, len(names) >= 10, "%d sessions", len(names))
	type part struct{ Facts []fact }
	for _, name := range names {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		var x struct {
			Facts            []fact
			Connections, TCP []part
		}
		assert.NilError(t, json.Unmarshal(text, &x), "%v", name)
		mark(reflect.TypeFor[report.Document](), x.Facts, pinned)
		for _, c := range x.Connections {
			mark(reflect.TypeFor[report.Connection](), c.Facts, pinned)
		}
		for _, c := range x.TCP {
			mark(reflect.TypeFor[report.TCP](), c.Facts, pinned)
		}
	}
}

// mark marks the fields on the way to each figure: from the part of the report, or from a subflow of it.
func mark(part reflect.Type, facts []fact, pinned map[string]bool) {
	for _, f := range facts {
		of := part
		if f.Subflow != "" {
			of = reflect.TypeFor[report.Subflow]()
		}
		if f.Contains != "" || f.Between != nil || !slices.Contains([]any{nil, 0.0, false, "", "none"}, f.Want) {
			markPath(of, strings.Split(strings.TrimPrefix(f.Field, "#"), "."), pinned)
		}
	}
}

func markPath(of reflect.Type, path []string, pinned map[string]bool) {
	if of = under(of); len(path) == 0 || of.Kind() != reflect.Struct {
		return
	}
	for x := range of.Fields() {
		if x.Anonymous {
			markPath(x.Type, path, pinned)
		} else if report.JSONName(x) == path[0] {
			pinned[of.Name()+"."+x.Name] = true
			markPath(x.Type, path[1:], pinned)
		}
	}
}
