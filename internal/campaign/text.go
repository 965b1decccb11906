package campaign

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mpanalyze/internal/textwrap"
)

// grid returns the line of headings and the rows as text: names through name, cells through cell.
func (t *Table) grid(name func(string) string, heading func(*Column) string, cell func(*Cell) string) [][]string {
	var head []string
	for _, h := range t.Corner {
		head = append(head, name(h))
	}
	for i := range t.Columns {
		head = append(head, name(heading(&t.Columns[i])))
	}
	lines := [][]string{head}
	for _, r := range t.Rows {
		var line []string
		for _, h := range r.Heads {
			line = append(line, name(h))
		}
		for i := range r.Cells {
			line = append(line, cell(&r.Cells[i]))
		}
		lines = append(lines, line)
	}
	return lines
}

// lower is the lower of a column's two headings.
func lower(c *Column) string { return c.Name }

// WriteText writes the table for a terminal: numbers to the right, headings over their
// columns, "*" after the winner of a row. Every text passes through clean, because names may
// come from captures. A table that is wider than width columns is cut into panels, one below
// the other, and lines below it are broken; 0 stands for any width.
func (t *Table) WriteText(w io.Writer, clean func(string) string, width int) error {
	out := bufio.NewWriter(w)
	panels := []*Table{t}
	if width > 0 {
		panels = t.panels(width, t.widths(t.textGrid(clean), clean))
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

// textGrid returns the lines of a panel, in which "*" marks the winner of a row.
func (t *Table) textGrid(clean func(string) string) [][]string {
	return t.grid(clean, lower, func(c *Cell) string { return emphasis(c, "", "*", clean) })
}

// writePanel writes headings and rows.
func (t *Table) writePanel(out *bufio.Writer, clean func(string) string) {
	lines, lead := t.textGrid(clean), len(t.Corner)
	widths := t.widths(lines, clean)
	if t.hasUpperHeadings() {
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%*s", wide(widths[:lead]), ""))
		for _, s := range t.upperHeadings() {
			text := clean(s.text)
			room := wide(widths[lead+s.from : lead+s.from+s.n])
			line.WriteString(fmt.Sprintf("  %*s%-*s", (room-runes(text))/2, "", room-(room-runes(text))/2, text))
		}
		writeLine(out, line.String())
	}
	for _, cells := range lines {
		for i, c := range cells {
			if i < lead {
				cells[i] = fmt.Sprintf("%-*s", widths[i], c)
			} else {
				cells[i] = fmt.Sprintf("%*s", widths[i], c)
			}
		}
		writeLine(out, strings.Join(cells, "  "))
	}
}

// widths returns the widths of the columns, which are also wide enough for the headings over them.
func (t *Table) widths(lines [][]string, clean func(string) string) []int {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, c := range line {
			widths[i] = max(widths[i], runes(c))
		}
	}
	for _, s := range t.upperHeadings() {
		last := len(t.Corner) + s.from + s.n - 1
		widths[last] += max(0, runes(clean(s.text))-wide(widths[last-s.n+1:last+1]))
	}
	return widths
}

// wide returns the width of columns, with two blanks between them.
func wide(widths []int) int {
	n := 2 * (len(widths) - 1)
	for _, w := range widths {
		n += w
	}
	return n
}

// runes returns the width of s, every character counted as one column.
func runes(s string) int { return utf8.RuneCountInString(s) }

func writeLine(w *bufio.Writer, line string) {
	w.WriteString(strings.TrimRight(line, " ")) // errors are kept until Flush
	w.WriteByte('\n')
}

// panels cuts a table that is too wide for a terminal into panels that fit. Each panel has the columns
// that name the rows. Columns below one heading stay together if a panel has room for all of them.
func (t *Table) panels(room int, widths []int) (out []*Table) {
	lead, of := wide(widths[:len(t.Corner)]), widths[len(t.Corner):]
	from, used := 0, lead
	for _, u := range t.upperHeadings() {
		group := 2 + wide(of[u.from:u.from+u.n])
		for i := u.from; i < u.from+u.n; i++ {
			need := 2 + of[i]
			if i == u.from && lead+group <= room {
				need = group
			}
			if used+need > room && i > from {
				out = append(out, t.part(from, i))
				from, used = i, lead
			}
			used += 2 + of[i]
		}
	}
	return append(out, t.part(from, len(t.Columns)))
}

// part returns the headings and rows of some of the columns.
func (t *Table) part(from, end int) *Table {
	p := &Table{Corner: t.Corner, Columns: t.Columns[from:end]}
	for _, r := range t.Rows {
		p.Rows = append(p.Rows, Row{Heads: r.Heads, Cells: r.Cells[from:end]})
	}
	return p
}
