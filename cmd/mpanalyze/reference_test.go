package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/testrun"
)

// parts are the parts of documents that are made of what the program knows, by the name
// that stands in the document.
var parts = map[string]func(*testing.T, io.Writer){
	"samples": samplesPart, "places": placesPart,
}

// says runs the program and decodes the JSON that it prints.
func says(t *testing.T, into any, args ...string) {
	t.Helper()
	program, err := os.Executable()
	assert.NilError(t, err)
	cmd := testrun.Command(t, program, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	assert.NilError(t, err, "mpanalyze %s", strings.Join(args, " "))
}

// entry is one of what explain --json lists.
type entry map[string]any

// text returns a field as text; empty where there is none.
func (e entry) text(field string) string {
	switch v := e[field].(type) {
	case string:
		return v
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, fmt.Sprint(item))
		}
		return strings.Join(list, ", ")
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// entries returns the entries of explain whose level is wanted.
func entries(t *testing.T, wanted func(level string) bool) []entry {
	var listing struct{ Entries []entry }
	says(t, &listing, "explain", "--json")
	all := slices.DeleteFunc(listing.Entries, func(e entry) bool { return !wanted(e.text("levels")) })
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.text("name"), b.text("name")) })
	return all
}

func isVerdict(level string) bool { return level == string(catalogue.OfVerdict) }
func isTerm(level string) bool {
	return level == string(catalogue.OfFigure) || level == string(catalogue.OfReport)
}

// samplesPart writes the captures that the pages name, each with its names.
func samplesPart(t *testing.T, w io.Writer) {
	text, err := os.ReadFile(filepath.Join(root, "testdata/README.md"))
	assert.NilError(t, err)
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		session := filepath.Dir(samples[name])
		known := strings.HasPrefix(session, "campaign/") || strings.Contains(string(text), "| `"+session+"` |")
		assert.Check(t, known, "testdata/README.md says nothing of %s", session)
		names[samples[name]] = append(names[samples[name]], "`"+name+"`")
	}
	for _, capture := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "- `%s`: %s\n", capture, strings.Join(names[capture], ", "))
	}
}

// placesPart writes which metrics rest on other evidence at another place of the capture, those that agree in one row.
func placesPart(t *testing.T, w io.Writer) {
	names := map[string][]string{}
	for _, e := range entries(t, func(level string) bool { return !isVerdict(level) && !isTerm(level) }) {
		of, _ := e["evidence"].(map[string]any)
		var at []string
		for _, place := range []string{"sender", "receiver", "both"} {
			at = append(at, cmp.Or(entry(of).text(place), "-"))
		}
		row, name := strings.Join(at, " | "), "`"+e.text("name")+"`"
		if at[0] != at[1] && !slices.Contains(names[row], name) {
			names[row] = append(names[row], name)
		}
	}
	fmt.Fprint(w, "| metrics | at the sender of the data | at its receiver | both |\n| --- | --- | --- | --- |\n")
	for _, row := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return strings.Compare(names[a][0], names[b][0]) }) {
		fmt.Fprintf(w, "| %s | %s |\n", strings.Join(names[row], ", "), row)
	}
}

// TestWarningsAreListed holds that docs/messages.md has a row for every code of a warning.
func TestWarningsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/messages.md"))
	assert.NilError(t, err)
	_, warnings, _ := strings.Cut(string(text), "## Warnings")
	code := regexp.MustCompile(`warn(?:ing)?\("([a-z_]+)"|Code: "([a-z_]+)"`)
	found := map[string]bool{}
	for _, a := range decode.Anomalies() {
		found[a.String()] = true
	}
	for _, dir := range []string{"conn", "engine"} {
		files, err := filepath.Glob(filepath.Join(root, "internal", dir, "*.go"))
		assert.NilError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			assert.NilError(t, err)
			for _, m := range code.FindAllStringSubmatch(string(source), -1) {
				found[m[1]+m[2]] = true
			}
		}
	}
	assert.Check(t, len(found) >= 20, "%d codes of warnings are too few to be all", len(found))
	for c := range found {
		assert.Check(t, c == "unpaired_" || strings.Contains(warnings, "`"+c+"`"), "docs/messages.md says nothing of the warning %s", c)
	}
}
