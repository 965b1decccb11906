package campaign

// panels cuts a table that is too wide for a terminal into panels that fit. Each panel has the columns that
// name the rows, which take the width lead; width returns the width of each other column.
// Columns below one heading stay together if a panel has room for all of them.
func (t *Table) panels(room, lead int, width func(column int) int) (out []*Table) {
	from, used := 0, lead
	for i := range t.Columns {
		for used+width(i) > room && i > from {
			end, group := i, t.groupOf(i)
			if group > from && lead+t.groupWidth(group, width) <= room {
				end = group
			}
			out = append(out, t.part(from, end))
			from, used = end, lead
			for k := end; k < i; k++ {
				used += width(k)
			}
		}
		used += width(i)
	}
	return append(out, t.part(from, len(t.Columns)))
}

// groupOf returns the first of the columns that share an upper heading with a column.
func (t *Table) groupOf(i int) int {
	for i > 0 && t.Columns[i].Top != "" && t.Columns[i-1].Top == t.Columns[i].Top {
		i--
	}
	return i
}

// groupWidth returns the width of the columns that share an upper heading with column from.
func (t *Table) groupWidth(from int, width func(column int) int) (w int) {
	for i := from; i < len(t.Columns) && t.Columns[i].Top == t.Columns[from].Top; i++ {
		w += width(i)
	}
	return w
}

// part returns the headings and rows of some of the columns.
func (t *Table) part(from, end int) *Table {
	p := &Table{Corner: t.Corner, Columns: t.Columns[from:end]}
	for _, r := range t.Rows {
		p.Rows = append(p.Rows, Row{Heads: r.Heads, Cells: r.Cells[from:end]})
	}
	return p
}
