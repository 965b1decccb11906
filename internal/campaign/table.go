package campaign

import (
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
)

// Table is a table to be printed: its columns have up to two levels of headings.
type Table struct {
	Corner  []string // headings of the columns that name the rows
	About   []string // headings of further columns of a CSV file, behind these
	Columns []Column
	Parts   []string // names of a cell's numbers, for CSV
	Tests   []string // names of the tests of a row; one without a name for a single test
	Better  string   // what bold print says; empty for better than all others
	Rows    []Row
	Caption string   // what the cells are; may be empty
	Notes   []string // lines below it
}

// Column is one column's heading; adjacent columns of one Top share it.
type Column struct{ Top, Name string }

// full returns both headings on one line.
func (c *Column) full() string {
	if c.Top == "" {
		return c.Name
	}
	return c.Top + "/" + c.Name
}

// Row is one line.
type Row struct {
	Heads []string   // as many as the table's corner has
	About []string   // as many as the table's About
	Tests []*RowTest // as many as the table's Tests; nil where nothing is compared
	Cells []Cell     // as many as there are columns
}

// Cell is a cell of a table.
type Cell struct {
	Text    string    // for people; empty where there is no figure
	Numbers []float64 // the same for programs, as the table's Parts name them; empty where there is no figure, NaN for one that is absent
	Best    bool      // whether it wins its row by more than noise
}

// headings makes columns of scenario names: X/Y becomes Y below X. It puts names with the same
// X next to each other, and returns the new order of the scenarios.
func headings(scenarios []Summary) (columns []Column, order []int) {
	var tops bykey.Lists[int]
	for i, s := range scenarios {
		top, _, two := strings.Cut(s.Name, "/")
		if !two {
			top = "\x00" + s.Name // a scenario without X
		}
		tops.Add(top, i)
	}
	for _, top := range tops.Keys {
		for _, i := range tops.Of[top] {
			c := Column{Name: scenarios[i].Name}
			if t, name, two := strings.Cut(scenarios[i].Name, "/"); two {
				c = Column{Top: t, Name: name}
			}
			columns, order = append(columns, c), append(order, i)
		}
	}
	return columns, order
}

// ByFirstHead cuts a table of several scenarios, which name its rows first, into one for each: a
// page has no room for all of them. Notes stay with the last.
func (t *Table) ByFirstHead() (out []*Table) {
	for _, r := range t.Rows {
		if k := len(out) - 1; len(t.Corner) > 1 && t.Corner[0] == "scenario" && (k < 0 || out[k].Rows[0].Heads[0] != r.Heads[0]) || k < 0 {
			part := *t
			part.Rows, part.Notes = nil, nil
			out = append(out, &part)
		}
		out[len(out)-1].Rows = append(out[len(out)-1].Rows, r)
	}
	if k := len(out) - 1; k >= 0 {
		out[k].Notes = t.Notes
	}
	return out
}

// hasUpperHeadings reports whether a column has a heading above its name.
func (t *Table) hasUpperHeadings() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Top != "" })
}

// upperHeading is a heading over adjacent columns.
type upperHeading struct {
	text    string
	from, n int // columns
}

// upperHeadings returns the upper headings, left to right. A column without an upper heading
// has an empty one that it does not share.
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
