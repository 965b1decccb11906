package campaign

import "strings"

// Transpose returns the table with rows and columns exchanged. The first heading of a row
// becomes an upper heading, which neighbours with the same one share; the other headings are
// joined.
func (t *Table) Transpose() *Table {
	out := &Table{Corner: []string{"scenario"}, Parts: t.Parts, Caption: t.Caption, Notes: t.Notes}
	two := t.hasUpperHeadings()
	if two {
		out.Corner = append(out.Corner, "variant")
	}
	for _, r := range t.Rows {
		out.Columns = append(out.Columns, columnOf(r.Heads))
	}
	for i, c := range t.Columns {
		row := Row{Heads: []string{c.Name}}
		switch {
		case two && c.Top != "":
			row.Heads = []string{c.Top, c.Name}
		case two:
			row.Heads = []string{c.Name, ""}
		}
		for k := range t.Rows {
			row.Cells = append(row.Cells, t.Rows[k].Cells[i])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// columnOf makes the heading of a column from the headings of a row, with the unit in
// brackets.
func columnOf(heads []string) Column {
	switch {
	case len(heads) < 2:
		return Column{Name: strings.Join(heads, " ")}
	case len(heads) == 2:
		return Column{Top: heads[0], Name: heads[1]}
	}
	name, unit := heads[len(heads)-2], heads[len(heads)-1]
	if unit != "" && unit != heads[0] {
		name = strings.TrimSpace(name + " (" + unit + ")")
	}
	if name == "" || heads[len(heads)-2] == "" {
		return Column{Name: strings.TrimSpace(heads[0] + " " + name)}
	}
	return Column{Top: heads[0], Name: name}
}
