package campaign

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mpanalyze/internal/report"
)

// TextColumn reports whether a column of [Table.Numbers] has text. All others have numbers.
func (t *Table) TextColumn(column int) bool {
	heads := len(t.Corner) + len(t.About)
	tests := column - heads - len(t.Columns)*len(t.Parts)
	return column < heads || tests >= 0 && slices.Contains(testTexts, testParts[tests%len(testParts)])
}

// WriteCSV writes the table's numbers (RFC 4180).
func (t *Table) WriteCSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.Numbers()) }

// Numbers returns the table's numbers as lines of text: one of headings, "X/Y PART" over each number of
// a scenario, and one for each row. Rows of figures have the figure's name as in
// reports, and the end that it comes from. A figure that is absent is an empty field.
func (t *Table) Numbers() [][]string {
	var line []string
	for _, h := range t.Corner {
		if h == "" {
			h = "statistic"
		}
		line = append(line, cellOf(h))
	}
	line = append(line, t.About...)
	for _, c := range t.Columns {
		for _, p := range t.Parts {
			line = append(line, cellOf(strings.TrimSpace(c.full()+" "+p)))
		}
	}
	for _, g := range t.Tests {
		for _, p := range testParts {
			line = append(line, cellOf(strings.TrimSpace(g+" "+p)))
		}
	}
	rows := [][]string{line}
	for _, r := range t.Rows {
		var line []string
		for _, h := range r.Heads {
			line = append(line, cellOf(h))
		}
		for _, a := range r.About {
			line = append(line, cellOf(a))
		}
		for i := range r.Cells {
			for k := range t.Parts {
				field := ""
				if k < len(r.Cells[i].Numbers) && !math.IsNaN(r.Cells[i].Numbers[k]) {
					field = number(r.Cells[i].Numbers[k])
				}
				line = append(line, field)
			}
		}
		for _, x := range r.Tests {
			line = append(line, x.fields()...)
		}
		rows = append(rows, line)
	}
	return rows
}

// WriteMarkdown writes the table in the dialect of GitHub, with winners in bold. It has only
// one level of headings, so X/Y is written in full.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, line := range t.grid(markdown, (*Column).full, func(c *Cell) string { return emphasis(c, "**", "**", markdown) }) {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(t.Corner)) + strings.Repeat("| ---: ", len(t.Columns)) + "|\n")
		}
	}
	for _, n := range append([]string{t.Caption}, t.Notes...) {
		if n != "" {
			b.WriteString("\n" + markdown(n) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// emphasis returns a cell with marks around its text if it wins its row; "-" for no figure.
func emphasis(c *Cell, before, after string, escape func(string) string) string {
	switch {
	case c.Text == "":
		return "-"
	case c.Best:
		return before + escape(c.Text) + after
	}
	return escape(c.Text)
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `*`, `\*`, `_`, `\_`, "`", "\\`", "<", "&lt;", "~", `\~`, "\n", " ", "\r", " ")

func markdown(s string) string { return markdownEscapes.Replace(printable(s)) }

// cellOf returns a name as a field of a CSV file, without what breaks a text or is a formula.
func cellOf(name string) string { return report.CellText(printable(name)) }

// printable replaces characters that break a text or hide a part of it: names of scenarios,
// labels and files may contain any bytes. White space becomes a blank. Control characters,
// invalid UTF-8 and characters that reverse the direction of text become a question mark,
// which every encoding of LaTeX has.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !strconv.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}
