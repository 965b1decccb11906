package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// place is where a panel stands: with its axes and texts, and the space between the axes.
type place struct{ whole, axes vg.Rectangle }

// settled is how often a panel is moved until its axes are where they belong: how far the labels
// of ticks reach beyond the axes changes with the size, each time by less.
const settled = 6

// align gives the panels their places. The spaces between the axes have equal sizes; those of a
// row have equal edges above and below, those of a column at the sides. heads is the height of
// the text above each row, sides the width of the second axis right of each column. The texts are
// measured on panels that are taller by extra: in low ones, the title of an axis is the tallest part.
func align(plots [][]*plot.Plot, heads, sides []vg.Length, in vg.Rectangle, extra vg.Length) [][]place {
	rows, columns := len(plots), len(plots[0])
	tile := vg.Point{
		X: (in.Max.X - in.Min.X - spaceX*vg.Length(columns-1)) / vg.Length(columns),
		Y: (in.Max.Y - in.Min.Y - spaceY*vg.Length(rows-1)) / vg.Length(rows),
	}
	left, right := make([]vg.Length, columns), make([]vg.Length, columns)
	above, under := make([]vg.Length, rows), make([]vg.Length, rows)
	for i, row := range plots {
		for j, g := range row {
			if g == nil {
				continue
			}
			axes := g.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: tile.X, Y: tile.Y + extra}}})
			left[j], right[j] = max(left[j], axes.Min.X), max(right[j], tile.X-axes.Max.X)
			under[i], above[i] = max(under[i], axes.Min.Y), max(above[i], tile.Y+extra-axes.Max.Y)
		}
	}
	for i := range above {
		above[i] += heads[i]
	}
	for j := range right {
		right[j] += sides[j]
	}
	size := vg.Point{X: tile.X - (sum(left)+sum(right))/vg.Length(columns), Y: tile.Y - (sum(under)+sum(above))/vg.Length(rows)}
	out := make([][]place, rows)
	y := in.Max.Y
	for i, row := range plots {
		out[i] = make([]place, columns)
		y -= above[i] + size.Y
		x := in.Min.X
		for j, g := range row {
			x += left[j]
			if g != nil {
				out[i][j] = around(g, vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + size.X, Y: y + size.Y}})
			}
			x += size.X + right[j] + spaceX
		}
		y -= under[i] + spaceY
	}
	return out
}

func sum(list []vg.Length) (total vg.Length) {
	for _, v := range list {
		total += v
	}
	return total
}

// around returns the place of a panel whose axes have these edges.
func around(g *plot.Plot, axes vg.Rectangle) place {
	whole := axes
	for range settled {
		now := g.DataCanvas(draw.Canvas{Rectangle: whole})
		whole.Min = whole.Min.Add(axes.Min.Sub(now.Min))
		whole.Max = whole.Max.Add(axes.Max.Sub(now.Max))
	}
	return place{whole, axes}
}
