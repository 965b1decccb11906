package plot

import (
	"slices"

	"mpanalyze/internal/campaign"
)

// noPanel is the number of a place without a panel.
const noPanel = -1

// cells returns which panel stands in which row and column. Panels with Row and Column stand
// where rows and columns of these names meet. If there are more such columns than fit side by
// side, the rows begin again below, for the other columns. The panels without Row follow one
// after the other.
func (f *Figure) cells(columns int) (out [][]int) {
	var rows, across []string
	var loose []int
	at := map[[2]string]int{}
	for i := range f.Panels {
		p := &f.Panels[i]
		here := [2]string{p.Row, p.Column}
		if _, taken := at[here]; taken || p.Row == "" {
			loose = append(loose, i)
			continue
		}
		at[here], rows, across = i, campaign.Once(rows, p.Row), campaign.Once(across, p.Column)
	}
	nothing := slices.Repeat([]int{noPanel}, columns)
	for part := range slices.Chunk(across, columns) {
		for _, row := range rows {
			line := slices.Clone(nothing)
			for k, column := range part {
				if i, ok := at[[2]string{row, column}]; ok {
					line[k] = i
				}
			}
			if !slices.Equal(line, nothing) {
				out = append(out, line)
			}
		}
	}
	for part := range slices.Chunk(loose, columns) {
		out = append(out, slices.Concat(part, nothing[len(part):]))
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
		if p := &f.Panels[i]; p.Row != "" {
			across = campaign.Once(across, p.Column)
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
