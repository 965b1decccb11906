package main

import (
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
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/testrun"
)

// parts are the parts of documents that are made of what the program knows, by the name
// that stands in the document.
var parts = map[string]func(*testing.T, io.Writer){
	"metrics": metricsPart, "terms": termsPart, "verdicts": verdictsPart, "papers": papersPart, "tables": tablesPart, "samples": samplesPart,
	"places": placesPart,
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

func metricsPart(t *testing.T, w io.Writer) {
	writeEntries(w, entries(t, func(level string) bool { return !isVerdict(level) && !isTerm(level) }))
}

func termsPart(t *testing.T, w io.Writer) { writeEntries(w, entries(t, isTerm)) }

// writeEntries writes an entry per metric: a heading, what it is, and a list of the rest.
func writeEntries(w io.Writer, all []entry) {
	for i, e := range all {
		name := e.text("name")
		if i == 0 || all[i-1].text("name") != name {
			fmt.Fprintf(w, "### %s\n\n", name)
		}
		definition := paragraphs(prose(e.text("definition")))
		fmt.Fprintf(w, "%s\n\n", definition)
		if strings.Contains(definition, "\n- ") {
			fmt.Fprint(w, "About the figure:\n\n") // two lists without a paragraph between are one
		}
		place := "`" + e.text("json") + "`, of a " + e.text("levels")
		if e.text("json") == "" {
			place = "not there"
		}
		if e["series"] == true {
			place += "; a series"
			if e["holds"] == true {
				place += " with a row where the value changes"
			}
		}
		item(w, "In reports", place)
		item(w, "Symbol", prose(e.text("symbol")))
		item(w, "Also called", prose(e.text("also")))
		unit := map[string]string{"1": "none, a pure number", catalogue.Composite: "several figures; `mpanalyze explain --schema` gives the unit of each"}[e.text("unit")]
		if unit == "" {
			unit = prose(e.text("unit"))
		}
		if better := e.text("better"); better != string(catalogue.NeitherIsBetter) {
			unit += "; " + better + " is better"
		}
		item(w, "Unit", unit)
		item(w, "Formula", prose(e.text("formula")))
		item(w, "Source", prose(e.text("source")))
		item(w, "Evidence", evidence(e))
		item(w, "Caveats", prose(e.text("caveats")))
		family := e.text("family")
		switch option := e.text("option"); {
		case option != "":
			item(w, "Derived", "with `"+option+"` only")
		case family != "basic":
			item(w, "Derived", "with `--metric all`, the default, and `--metric "+family+"`")
		}
		fmt.Fprintln(w)
	}
}

// paragraphs turns the lines of a text into paragraphs and items of lists. An empty line stands
// before a list: the generator of the site needs it.
func paragraphs(text string) string {
	out, wasItem := "", false
	for i, line := range strings.Split(text, "\n") {
		isItem := strings.HasPrefix(line, "- ")
		switch {
		case i == 0:
		case isItem && wasItem:
			out += "\n"
		default:
			out += "\n\n"
		}
		out, wasItem = out+line, isItem
	}
	return out
}

// item writes an item of a list, and nothing where the text is empty. Four spaces put what
// follows into the item, and an empty line ends it, on GitHub and on the site.
func item(w io.Writer, label, text string) {
	if text = paragraphs(text); strings.Contains(text, "\n") {
		text = strings.NewReplacer("\n\n", "\n\n    ", "\n", "\n    ").Replace(text) + "\n"
	}
	if text != "" {
		fmt.Fprintf(w, "- **%s:** %s\n", label, text)
	}
}

// evidence says what an entry rests on at each place of a capture.
func evidence(e entry) string {
	of, _ := e["evidence"].(map[string]any)
	sender, receiver, both := entry(of).text("sender"), entry(of).text("receiver"), entry(of).text("both")
	switch {
	case sender+receiver+both == "":
		return ""
	case sender == receiver && sender == both:
		return sender + " wherever the capture was taken"
	}
	say := func(kind string) string {
		if kind == "" {
			return "none"
		}
		return prose(kind)
	}
	return fmt.Sprintf("at the sender of the data %s; at its receiver %s; with both captures %s", say(sender), say(receiver), say(both))
}

// known are the fields of an entry that verdictsPart words itself or that say nothing of
// a verdict.
var known = []string{
	"name", "json", "symbol", "also", "unit", "levels", "better", "definition", "formula", "source", "evidence", "caveats", "series", "holds", "family", "option",
}

func verdictsPart(t *testing.T, w io.Writer) {
	for _, e := range entries(t, isVerdict) {
		fmt.Fprintf(w, "### %s\n\n%s\n\n", e.text("name"), prose(e.text("definition")))
		item(w, "Condition", prose(e.text("formula")))
		severity, cost := strings.TrimPrefix(e.text("caveats"), "Severity: "), ""
		if at := strings.Index(severity, " Cost: "); at >= 0 {
			severity, cost = severity[:at], severity[at+len(" Cost: "):]
		}
		item(w, "Severity", prose(severity))
		item(w, "Cost", prose(cost))
		for _, field := range slices.Sorted(maps.Keys(e)) {
			if !slices.Contains(known, field) {
				item(w, strings.ToUpper(field[:1])+strings.ReplaceAll(field[1:], "_", " "), prose(e.text(field)))
			}
		}
		item(w, "Source", prose(e.text("source")))
		fmt.Fprintln(w)
	}
}

func papersPart(_ *testing.T, w io.Writer) {
	for _, p := range catalogue.Papers {
		fmt.Fprintf(w, "- **%s:** %s\n", p.Short, p.Full)
	}
}

// special are characters that Markdown could take for its own.
var special = regexp.MustCompile(`[*<>|\\]|(^|[^\pL\pN])_|_([^\pL\pN]|$)`)

// prose returns a text of the catalogue as Markdown.
func prose(text string) string {
	return special.ReplaceAllStringFunc(text, func(s string) string {
		return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "|", `\|`, `\`, `\\`).Replace(s)
	})
}

func tablesPart(t *testing.T, w io.Writer) {
	var tables []csvtables.Table
	says(t, &tables, "schema", "tables")
	for _, table := range tables {
		fmt.Fprintf(w, "### %s\n\nA row is %s. Columns: %d.\n\n| column | type | meaning |\n| --- | --- | --- |\n", table.Name, prose(table.Row), len(table.Columns))
		for _, g := range groups(table.Columns) {
			fmt.Fprintf(w, "| `%s` | %s | %s |\n", g.name, g.kind, prose(g.about))
		}
		fmt.Fprintln(w)
	}
}

// group is a column, or columns that are summarised alike or exist for both directions.
type group struct{ name, kind, about string }

// groups puts columns together, so that the reader sees what there is: those of a summary
// as "srtt_ms_{avg,min}", and those of both directions of a connection as "{a2b,b2a}_bytes".
func groups(columns []csvtables.Column) (out []group) {
	there := map[string]bool{}
	for _, c := range columns {
		there[c.Name] = true
	}
	for i := 0; i < len(columns); i++ {
		c := columns[i]
		name, both := c.Name, ""
		if rest, ok := strings.CutPrefix(name, "b2a_"); ok && there["a2b_"+rest] {
			continue
		}
		if rest, ok := strings.CutPrefix(name, "a2b_"); ok && there["b2a_"+rest] {
			name, both = rest, "{a2b,b2a}_"
		}
		g := group{both + name, c.Type, c.Description}
		if both != "" {
			g.about = strings.TrimPrefix(g.about, "From a to b: ")
		}
		if head, ok := strings.CutSuffix(c.Field, ".avg"); ok {
			var ends []string
			for i < len(columns) && strings.HasPrefix(columns[i].Field, head+".") {
				ends = append(ends, strings.ReplaceAll(columns[i].Field[len(head)+1:], ".", "_"))
				i++
			}
			i--
			g = group{both + strings.TrimSuffix(name, "avg") + "{" + strings.Join(ends, ",") + "}", "number", strings.TrimSuffix(g.about, " Mean.")}
		}
		out = append(out, g)
	}
	return out
}

// TestGroups holds that the groups of a table stand for its columns and no others.
func TestGroups(t *testing.T) {
	tables, err := csvtables.Tables()
	assert.NilError(t, err)
	for _, table := range tables {
		var want, got []string
		for _, c := range table.Columns {
			want = append(want, c.Name)
		}
		for _, g := range groups(table.Columns) {
			got = append(got, expand(g.name)...)
		}
		slices.Sort(want)
		slices.Sort(got)
		assert.Check(t, slices.Equal(want, got), "%s: %d columns, and the groups stand for %d", table.Name, len(want), len(got))
	}
}

// expand expands braces as a shell does.
func expand(name string) (out []string) {
	head, rest, found := strings.Cut(name, "{")
	if !found {
		return []string{name}
	}
	list, tail, _ := strings.Cut(rest, "}")
	for one := range strings.SplitSeq(list, ",") {
		for _, end := range expand(tail) {
			out = append(out, head+one+end)
		}
	}
	return out
}

func samplesPart(t *testing.T, w io.Writer) {
	text, err := os.ReadFile(filepath.Join(root, "testdata/README.md"))
	assert.NilError(t, err)
	about := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(text), -1) {
		about[m[1]] = m[2]
	}
	fmt.Fprint(w, "| name in these pages | capture below `testdata/sessions` | what |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		what := about[filepath.Dir(samples[name])]
		if strings.HasPrefix(samples[name], "campaign/") {
			what = "a run of a campaign: the server streams 8 Mbit/s for 10 s"
		}
		assert.Check(t, what != "", "testdata/README.md says nothing of %s", samples[name])
		fmt.Fprintf(w, "| `%s` | `%s` | %s |\n", name, samples[name], what)
	}
}

// placesPart writes which metrics rest on other evidence at another place of the capture.
func placesPart(t *testing.T, w io.Writer) {
	fmt.Fprint(w, "| metric | at the sender of the data | at its receiver | both |\n| --- | --- | --- | --- |\n")
	last := ""
	for _, e := range entries(t, func(level string) bool { return !isVerdict(level) && !isTerm(level) }) {
		of, _ := e["evidence"].(map[string]any)
		at := []string{entry(of).text("sender"), entry(of).text("receiver"), entry(of).text("both")}
		if name := e.text("name"); name == last || at[0] == at[1] {
			continue
		} else {
			last = name
		}
		for i := range at {
			if at[i] == "" {
				at[i] = "-"
			}
			at[i] = prose(at[i])
		}
		fmt.Fprintf(w, "| [%s](metrics.md#%s) | %s |\n", last, last, strings.Join(at, " | "))
	}
}

// TestWarningsAreListed holds that docs/status.md has a row for every code of a warning.
func TestWarningsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/status.md"))
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
		assert.Check(t, c == "unpaired_" || strings.Contains(warnings, "`"+c+"`"), "docs/status.md says nothing of the warning %s", c)
	}
}

// TestListsStandApart: the items of a definition are a list of their own, and those of a formula
// are within its item.
func TestListsStandApart(t *testing.T) {
	var b strings.Builder
	writeEntries(&b, []entry{{"name": "x", "json": "x_ms", "levels": []any{"subflow"}, "unit": "ms", "better": "neither", "family": "basic", "definition": "One of:\n- a\n- b", "formula": "By:\n- c", "source": "y"}})
	want := "### x\n\nOne of:\n\n- a\n- b\n\nAbout the figure:\n\n- **In reports:** `x_ms`, of a subflow\n- **Unit:** ms\n- **Formula:** By:\n\n    - c\n\n- **Source:** y\n\n"
	assert.Check(t, b.String() == want, "got\n%s\nwant\n%s", b.String(), want)
}
