package mutate_test

import (
	encsv "encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/cli"
)

// checker knows the schemas of the program.
type checker struct{ schemas map[string]*jsonschema.Schema }

func newChecker(t *testing.T) *checker {
	t.Helper()
	c := &checker{map[string]*jsonschema.Schema{}}
	for _, name := range []string{"report", "compare", "packets", "events", "connections", "why", "live"} {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(run(t, []string{"schema", name}).out))
		compiler := jsonschema.NewCompiler()
		if err == nil {
			err = compiler.AddResource(name, parsed)
		}
		if err == nil {
			c.schemas[name], err = compiler.Compile(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// allowed are the exit statuses of docs/status.md that a capture can cause.
var allowed = map[cli.ExitCode]bool{cli.ExitOK: true, cli.ExitFailed: true, cli.ExitDamaged: true, cli.ExitWorse: true, cli.ExitCannotTell: true}

// check checks what a command left.
func (c *checker) check(f findings, e extent, line command, r result) {
	from := line.args[0]
	switch {
	case r.panicked != "":
		f.add(from+": panic: "+firstLine(r.panicked), "%s", r.panicked)
		return
	case !allowed[r.status]:
		f.add(from+": exit status "+strconv.Itoa(int(r.status)), "%s", r.err)
	case r.status != cli.ExitOK && r.err == "" && r.out == "":
		f.add(from+": a status without a message", "status %d", r.status)
	case r.heap > mostHeap:
		f.add(from+": memory", "%d bytes of heap", r.heap)
	}
	switch line.form {
	case doc, loose:
		c.document(f, e, line, r.out)
	case lines:
		for text := range strings.Lines(r.out) {
			c.document(f, e, line, text)
		}
	case csv:
		if line.args[0] == "compare" {
			e = anything
		}
		e.table(f, from, r.out, ',')
	case tsv:
		e.table(f, from, r.out, '\t')
	}
	if line.form == tables {
		e.tables(f, from, line.what)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// document checks a JSON document.
func (c *checker) document(f findings, e extent, line command, text string) {
	if text == "" {
		return // the message says why
	}
	from := line.args[0]
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		f.add(from+": no JSON", "%v: %.200s", err, text)
		return
	}
	if s := c.schemas[line.what]; s != nil {
		if err := s.Validate(v); err != nil {
			f.add(from+": not as its schema says: "+where(err), "%v", err)
		}
	}
	if line.args[0] != "compare" { // its numbers are means and differences
		e.values(f, []string{from}, v)
	}
}

// where names the field that breaks a schema, without its indices.
func where(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return ""
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	var names []string
	for _, name := range invalid.InstanceLocation {
		if _, err := strconv.Atoi(name); err != nil {
			names = append(names, name)
		}
	}
	return place(names)
}

// number returns the number that a JSON value is.
func number(v any) (float64, bool) {
	x, ok := v.(json.Number)
	n, err := x.Float64()
	return n, ok && err == nil
}

// tables checks the tables that a command wrote.
func (e extent) tables(f findings, from, dir string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		f.add(from+": tables", "%v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.add(from+": tables", "%v", err)
		}
		e.table(f, from+" "+filepath.Base(name), string(text), ',')
	}
}

// table checks that each row has the columns of the header, and its numbers.
func (e extent) table(f findings, from, text string, comma rune) {
	r := encsv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, comma == '\t', -1, true
	row, err := r.Read()
	header := slices.Clone(row)
	for err == nil {
		if row, err = r.Read(); err != nil {
			break
		}
		if len(row) != len(header) {
			f.add(from+": a row with other columns than the header", "%q", row)
			continue
		}
		e.row(f, from, header, row)
	}
	if !errors.Is(err, io.EOF) {
		f.add(from+": no table", "%v", err)
	}
}

// row checks the numbers of a row by the names of their columns.
func (e extent) row(f findings, from string, header, row []string) {
	metric := ""
	for i, name := range header {
		if name == "metric" || name == "unit" && metric != "" {
			metric += "_" + row[i] // series and distributions: the name of a metric, then its unit
		}
		n, err := strconv.ParseFloat(row[i], 64)
		if err != nil || e == anything {
			continue
		}
		path := column(name)
		if metric != "" && name != "t_s" {
			path = append(column(strings.Trim(metric, "_")), path...)
		}
		if what := e.wrong(path, n); what != "" {
			f.add(from+" "+place(path)+": "+what, "%s in %q; the capture has %d packets in %v s", row[i], row, e.packets, e.seconds)
		}
	}
}

// column divides the name of a column as the document does: a2b_rtt_ms_avg is the figure avg of
// rtt_ms.
func column(name string) []string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "a2b_"), "b2a_")
	for _, figure := range figures {
		if rest, ok := strings.CutSuffix(name, "_"+figure); ok {
			return []string{rest, figure}
		}
	}
	return []string{name}
}
