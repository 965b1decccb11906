package campaign

import "strings"

// Table is a table as it is printed: columns below two levels of headings.
type Table struct {
	Corner  []string // headings of the columns that name the rows
	Columns []Column
	Parts   []string // names of a cell's numbers, for CSV
	Rows    []Row
	Caption string   // what the cells are; empty for nothing to say
	Notes   []string // lines below it
}

// Column is one column's heading; adjacent columns of one Top share it.
type Column struct{ Top, Name string }

// Row is one line.
type Row struct {
	Heads []string // as many as the table's corner has
	Cells []Cell   // as many as there are columns
}

// Cell is a cell of a table.
type Cell struct {
	Text    string    // for people; empty where there is no figure
	Numbers []float64 // the same for programs, as the table's Parts name them; empty where there is no figure
	Best    bool      // whether it wins its row by more than noise
}

// headings turns scenario names into columns: X/Y stands as Y below X. It
// brings names with one X together and returns the order in which the
// scenarios stand.
func headings(names []string) (columns []Column, order []int) {
	tops := map[string][]int{}
	var seen []string
	for i, n := range names {
		top, _, two := strings.Cut(n, "/")
		if !two {
			top = "\x00" + n // a scenario of its own
		}
		if tops[top] == nil {
			seen = append(seen, top)
		}
		tops[top] = append(tops[top], i)
	}
	for _, top := range seen {
		for _, i := range tops[top] {
			c := Column{Name: names[i]}
			if t, name, two := strings.Cut(names[i], "/"); two {
				c = Column{Top: t, Name: name}
			}
			columns, order = append(columns, c), append(order, i)
		}
	}
	return columns, order
}

// hasUpperHeadings reports whether a column has a heading above its name.
func (t *Table) hasUpperHeadings() bool {
	for _, c := range t.Columns {
		if c.Top != "" {
			return true
		}
	}
	return false
}

// upperHeading is a heading over adjacent columns.
type upperHeading struct {
	text    string
	from, n int // columns
}

// upperHeadings returns the upper headings, left to right. A column without one has an
// empty heading of its own.
func (t *Table) upperHeadings() (out []upperHeading) {
	for i, c := range t.Columns {
		if k := len(out) - 1; k >= 0 && c.Top != "" && out[k].text == c.Top {
			out[k].n++
			continue
		}
		out = append(out, upperHeading{c.Top, i, 1})
	}
	return out
}
