package campaign

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"mpanalyze/internal/textwrap"
)

// WriteText writes the table for a terminal: numbers to the right, headings over their
// columns, "*" after the winner of a row. Every text passes through clean, because names may
// come from captures. A table that is wider than width columns is cut into panels, one below
// the other, and lines below it are broken; 0 stands for any width.
func (t *Table) WriteText(w io.Writer, clean func(string) string, width int) error {
	out := bufio.NewWriter(w)
	panels := []*Table{t}
	if width > 0 {
		lead, cells := t.widths(clean)
		panels = t.panels(width, sum(lead)+2*(len(lead)-1), func(i int) int { return 2 + cells[i] })
	}
	for i, p := range panels {
		if i > 0 {
			writeLine(out, "")
		}
		p.writePanel(out, clean)
	}
	below := t.Notes
	if t.Caption != "" {
		below = append([]string{t.Caption}, below...)
	}
	if len(below) > 0 {
		writeLine(out, "")
	}
	for _, n := range below {
		for _, line := range textwrap.Fill(clean(n), "", "  ", width) {
			writeLine(out, line)
		}
	}
	return out.Flush()
}

// writePanel writes headings and rows.
func (t *Table) writePanel(out *bufio.Writer, clean func(string) string) {
	lead, widths := t.widths(clean)
	if t.hasUpperHeadings() {
		var line strings.Builder
		line.WriteString(blankLine(lead))
		for _, s := range t.upperHeadings() {
			room := 2*(s.n-1) + sum(widths[s.from:s.from+s.n])
			line.WriteString("  " + center(clean(s.text), room))
		}
		writeLine(out, line.String())
	}
	var line strings.Builder
	line.WriteString(row(t.Corner, lead, clean))
	for i, c := range t.Columns {
		line.WriteString("  " + right(clean(c.Name), widths[i]))
	}
	writeLine(out, line.String())
	for _, r := range t.Rows {
		var line strings.Builder
		line.WriteString(row(r.Heads, lead, clean))
		for i := range r.Cells {
			line.WriteString("  " + right(clean(cellText(&r.Cells[i])), widths[i]))
		}
		writeLine(out, line.String())
	}
}

// cellText returns a cell's text; "-" for no figure.
func cellText(c *Cell) string {
	switch {
	case c.Text == "":
		return "-"
	case c.Best:
		return c.Text + "*"
	}
	return c.Text
}

// widths returns the widths of the columns that name the rows, and of the others, which are
// also wide enough for the headings over them.
func (t *Table) widths(clean func(string) string) (lead, cells []int) {
	lead, cells = make([]int, len(t.Corner)), make([]int, len(t.Columns))
	for i, h := range t.Corner {
		lead[i] = runes(clean(h))
	}
	for i, c := range t.Columns {
		cells[i] = runes(clean(c.Name))
	}
	for _, r := range t.Rows {
		for i, h := range r.Heads {
			lead[i] = max(lead[i], runes(clean(h)))
		}
		for i := range r.Cells {
			cells[i] = max(cells[i], runes(clean(cellText(&r.Cells[i]))))
		}
	}
	for _, s := range t.upperHeadings() {
		last := s.from + s.n - 1
		cells[last] += max(0, runes(clean(s.text))-2*(s.n-1)-sum(cells[s.from:last+1]))
	}
	return lead, cells
}

func row(heads []string, widths []int, clean func(string) string) string {
	var parts []string
	for i, h := range heads {
		h = clean(h)
		parts = append(parts, h+strings.Repeat(" ", widths[i]-runes(h)))
	}
	return strings.Join(parts, "  ")
}

func blankLine(widths []int) string { return strings.Repeat(" ", sum(widths)+2*(len(widths)-1)) }

func sum(v []int) (n int) {
	for _, x := range v {
		n += x
	}
	return n
}

// runes returns the width of s, every character counted as one column.
func runes(s string) int { return utf8.RuneCountInString(s) }

func right(s string, n int) string { return strings.Repeat(" ", n-runes(s)) + s }

func center(s string, n int) string {
	left := (n - runes(s)) / 2
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", n-runes(s)-left)
}

func writeLine(w *bufio.Writer, line string) {
	w.WriteString(strings.TrimRight(line, " ")) // errors are kept until Flush
	w.WriteByte('\n')
}
