package campaign

import (
	"bytes"
	"encoding/csv"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"
)

// TestTablesOfAnyName: tables hold no control characters but the ends of their lines,
// and as many lines and fields as they should, whatever names hold.
func TestTablesOfAnyName(t *testing.T) {
	var names []string
	for b := range 256 {
		names = append(names, "x"+string([]byte{byte(b)})+"y")
	}
	names = append(names, "\u202eevil", "\ufffe", "\u2028", `\end{tabular}`, "a|b", "%", `"`, "", "=1+1", "+x", "-x", "@x", "\t=1", "\r=1")
	for _, name := range names {
		table := &Table{
			Corner: []string{name}, Columns: []Column{{Top: name, Name: name}}, Parts: []string{name},
			Rows: []Row{{Heads: []string{name}, Cells: []Cell{{Text: name, Numbers: []float64{1}}}}}, Notes: []string{name},
		}
		for form, write := range map[string]func(io.Writer) error{"CSV": table.WriteCSV, "Markdown": table.WriteMarkdown, "LaTeX": func(w io.Writer) error { return table.WriteLaTeX(w, LaTeX{}) }} {
			var b bytes.Buffer
			assert.NilError(t, write(&b))
			text := b.String()
			assert.Check(t, utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }), "%s of %q: %q", form, name, text)
			if form != "CSV" {
				continue
			}
			if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 2 {
				t.Errorf("CSV of %q: %v, %q", name, err, rows)
			} else if strings.ContainsAny(first(rows[0][0])+first(rows[0][1])+first(rows[1][0]), "=+-@\t\r") {
				t.Errorf("CSV of %q has a formula: %q", name, rows)
			}
		}
	}
}

// first returns the first byte of a text.
func first(s string) string { return s[:min(len(s), 1)] }
