package plaintext

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A column of a grid.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	// drop is the order in which columns are left out if the grid is wider than the terminal.
	// The highest is left out first; a column with 0 never.
	drop int
	// least is the width in characters to which the column may be shortened;
	// 0 for a column that may not be shortened.
	least int
}

// grid is a table that fits itself into the width of a terminal.
type grid struct {
	columns []column
	rows    [][]string
	// fold says that if rows are too wide, the first cell of each stands on a separate line
	// above the others. Rows with an empty first cell belong to the row above.
	fold bool
}

const columnGap = 2

// laid is a grid after layout: its lines as they fit into a width.
type laid struct {
	header, rows []string
	omitted      []string // titles of the columns that are left out
	shortened    bool     // whether characters were taken out of a cell
	needs        int      // width at which nothing is left out or shortened
}

// layout fits the grid into width characters. It folds rows, shortens columns and leaves out
// columns; if that is not enough, lines are longer.
func (g *grid) layout(width int) (out laid) {
	natural := g.widths()
	out.needs = total(natural)
	if out.needs > width && g.fold {
		return g.folded(width)
	}
	widths := g.fit(natural, width)
	titles := make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i] = c.title
		if widths[i] < 0 {
			out.omitted = append(out.omitted, c.title)
		} else if widths[i] < natural[i] {
			out.shortened = true
		}
	}
	out.header = []string{g.line(titles, widths)}
	for _, r := range g.rows {
		out.rows = append(out.rows, g.line(r, widths))
	}
	return out
}

// folded returns the layout with the first cell of each row on a separate line.
func (g *grid) folded(width int) laid {
	const indent = "  "
	rest := grid{columns: g.columns[1:]}
	for _, r := range g.rows {
		rest.rows = append(rest.rows, r[1:])
	}
	below := rest.layout(width - len(indent))
	out := below
	out.header, out.rows = []string{g.columns[0].title, indent + below.header[0]}, nil
	out.needs += len(indent)
	for i, r := range g.rows {
		if r[0] != "" {
			out.rows = append(out.rows, r[0])
		}
		out.rows = append(out.rows, indent+below.rows[i])
	}
	return out
}

// note says what is not shown at a width. It is empty if everything is shown.
func (l laid) note(width int) string {
	var what []string
	if len(l.omitted) > 0 {
		what = append(what, "left out: "+strings.Join(l.omitted, ", "))
	}
	if l.shortened {
		what = append(what, "names are shortened")
	}
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf("width %d: %s; width %d shows all", width, strings.Join(what, "; "), l.needs)
}

// widths returns how wide each column is as a whole.
func (g *grid) widths() []int {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		widths[i] = utf8.RuneCountInString(c.title)
		for _, r := range g.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
	return widths
}

// total returns the width of columns side by side. A column with a negative width is left out.
func total(widths []int) int {
	sum := -columnGap
	for _, w := range widths {
		if w >= 0 {
			sum += w + columnGap
		}
	}
	return sum
}

// fit reduces the natural widths until the grid fits; a dropped column has width -1.
// Shortening a column comes before dropping one. After each dropped column, the shortened ones
// have their full width again.
func (g *grid) fit(natural []int, width int) []int {
	widths := slices.Clone(natural)
	for {
		over := total(widths) - width
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
			return widths
		}
		widths[last] = -1
		for i := range widths {
			if widths[i] >= 0 {
				widths[i] = natural[i]
			}
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

// shorten removes characters from the middle, because the beginning and the end of a text
// with two addresses say more than the beginning alone.
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
