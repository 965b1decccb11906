package plaintext

import (
	"strings"
	"unicode/utf8"
)

// A column of a grid.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	// drop is the order in which columns give way where the grid is wider
	// than the terminal: the highest first, 0 never.
	drop int
	// least is the width in characters that the column may be shortened to;
	// 0 for a column that is whole or not there.
	least int
}

// grid is a table that fits itself into the width of a terminal.
type grid struct {
	columns []column
	rows    [][]string
}

const columnGap = 2

// lines returns the header and the rows, each at most width characters long
// as far as dropping and shortening columns can do it.
func (g *grid) lines(width int) []string {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		widths[i] = utf8.RuneCountInString(c.title)
		for _, r := range g.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
	g.fit(widths, width)
	titles := make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i] = c.title
	}
	out := []string{g.line(titles, widths)}
	for _, r := range g.rows {
		out = append(out, g.line(r, widths))
	}
	return out
}

// fit reduces widths until the grid fits; a dropped column has width -1.
// Shortening a column comes before dropping one.
func (g *grid) fit(widths []int, width int) {
	for {
		total := -columnGap
		for _, w := range widths {
			if w >= 0 {
				total += w + columnGap
			}
		}
		over := total - width
		for i, c := range g.columns {
			if give := min(over, widths[i]-c.least); c.least > 0 && give > 0 {
				widths[i] -= give
				over -= give
			}
		}
		last := -1
		for i, c := range g.columns {
			if widths[i] >= 0 && c.drop > 0 && (last < 0 || c.drop > g.columns[last].drop) {
				last = i
			}
		}
		if over <= 0 || last < 0 {
			return
		}
		widths[last] = -1
		g.restore(widths)
	}
}

// restore gives shortened columns their full width again, after a dropped
// column made room.
func (g *grid) restore(widths []int) {
	for i, c := range g.columns {
		if c.least == 0 || widths[i] < 0 {
			continue
		}
		widths[i] = utf8.RuneCountInString(c.title)
		for _, r := range g.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
}

func (g *grid) line(cells []string, widths []int) string {
	var b strings.Builder
	first := true
	for i, c := range g.columns {
		if widths[i] < 0 {
			continue
		}
		if !first {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		first = false
		text := shorten(cells[i], widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
		if c.right {
			b.WriteString(pad + text)
		} else {
			b.WriteString(text + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// shorten takes characters out of the middle: both ends of a pair of addresses
// tell more than its beginning.
func shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	if width <= 1 {
		return string(r[:width])
	}
	head := width / 2
	return string(r[:head]) + "…" + string(r[len(r)-(width-head-1):])
}
