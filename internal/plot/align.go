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
const settled = 3

// align gives the panels their places. The spaces between the axes have equal sizes; those of a row have equal edges above and
// below, those of a column at the sides. gonum's plot.Align makes them unequal where the label of an axis is longer than the axis.
// So texts are measured on panels of twice the height.
func align(plots [][]*plot.Plot, in vg.Rectangle) [][]place {
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
			axes := g.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: tile.X, Y: 2 * tile.Y}}})
			left[j], right[j] = max(left[j], axes.Min.X), max(right[j], tile.X-axes.Max.X)
			under[i], above[i] = max(under[i], axes.Min.Y), max(above[i], 2*tile.Y-axes.Max.Y)
		}
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
				axes := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + size.X, Y: y + size.Y}}
				out[i][j] = around(g, axes, vg.Rectangle{Min: axes.Min.Sub(vg.Point{X: left[j], Y: under[i]}), Max: axes.Max.Add(vg.Point{X: right[j], Y: above[i]})})
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

// around returns the place of a panel whose axes have these edges, and which has about those of whole.
func around(g *plot.Plot, axes, whole vg.Rectangle) place {
	for range settled {
		now := g.DataCanvas(draw.Canvas{Rectangle: whole})
		whole.Min = whole.Min.Add(axes.Min.Sub(now.Min))
		whole.Max = whole.Max.Add(axes.Max.Sub(now.Max))
	}
	return place{whole, axes}
}
