package plot

import "slices"

// noPanel is the number of a place without a panel.
const noPanel = -1

// cells returns which panel stands in which row and column. Panels with Row and Column stand
// where rows and columns of these names meet. If there are more such columns than fit side by
// side, the rows begin again below, for the other columns. The panels without Row follow one
// after the other.
func (f *Figure) cells(columns int) (out [][]int) {
	var rows, across []string
	var loose []int
	taken := map[[2]string]bool{}
	for i := range f.Panels {
		switch p := &f.Panels[i]; {
		case p.Row == "" || taken[[2]string{p.Row, p.Column}]:
			loose = append(loose, i)
			continue
		case !slices.Contains(rows, p.Row):
			rows = append(rows, p.Row)
			fallthrough
		default:
			if taken[[2]string{p.Row, p.Column}] = true; !slices.Contains(across, p.Column) {
				across = append(across, p.Column)
			}
		}
	}
	for part := range slices.Chunk(across, columns) {
		for _, row := range rows {
			if line := f.line(row, part, columns); line != nil {
				out = append(out, line)
			}
		}
	}
	for part := range slices.Chunk(loose, columns) {
		for len(part) < columns {
			part = append(slices.Clip(part), noPanel)
		}
		out = append(out, part)
	}
	return out
}

// line returns the panels of a row in these columns, or nil if there are none.
func (f *Figure) line(row string, across []string, columns int) (out []int) {
	any := false
	for k := range columns {
		i := noPanel
		if k < len(across) {
			i = slices.IndexFunc(f.Panels, func(p Panel) bool { return p.Row == row && p.Column == across[k] })
		}
		out, any = append(out, i), any || i != noPanel
	}
	if !any {
		return nil
	}
	return out
}

// narrowest is the least width of a panel with its axes if the figure decides how many stand side
// by side, in sizes of the font.
const narrowest = 14

// columns returns how many panels stand side by side.
func (f *Figure) columns(o *Layout) int {
	if o.Columns > 0 {
		return min(o.Columns, max(1, len(f.Panels)))
	}
	var across []string
	for i := range f.Panels {
		if p := &f.Panels[i]; p.Row != "" && !slices.Contains(across, p.Column) {
			across = append(across, p.Column)
		}
	}
	n, all := len(across), len(across)
	if n == 0 {
		n, all = max(1, min(f.Columns, len(f.Panels))), len(f.Panels)
	}
	room := max(1, int(o.Width*pointsPerCentimetre/(narrowest*float64(o.em()))))
	if o.most > 0 {
		room = min(room, o.most)
	}
	if n == 2 && all == 3 { // three panels in two columns leave a quarter of the figure empty
		n = 3
	}
	parts := (n + room - 1) / room
	if all == 3 && parts > 1 {
		return 1
	}
	return (n + parts - 1) / parts // all parts have about as many columns
}

const pointsPerCentimetre = 72 / 2.54
