package timeline

import (
	"math"
	"math/bits"
	"slices"
)

// grid keeps points by columns. The width of a column is a power of two, and it begins at a
// multiple of its width. So a wider column consists of whole narrower ones, and thinning
// twice loses no more than thinning once.
type grid struct {
	shift       uint     // a time shifted right by this is the number of its column
	first, last int64    // numbers of the columns between which all points are
	most        int64    // columns from the first to the last
	columns     []column // the one of a number is at its last bits: a power of two of them
}

// column is what a figure shows of the points in one column.
type column struct {
	used                   bool
	first, last, low, high Point
}

// newGrid returns a grid with points, of at most that many columns, but at least two, because no
// column holds times on both sides of 0.
func newGrid(columns int, points []Point) *grid {
	most := max(2, columns)
	g := &grid{first: math.MaxInt64, last: math.MinInt64, most: int64(most), columns: make([]column, 1<<bits.Len(uint(most-1)))}
	for _, p := range points {
		g.add(p)
	}
	return g
}

// at returns the column of a number.
func (g *grid) at(number int64) *column { return &g.columns[number&int64(len(g.columns)-1)] }

// add adds a point. It makes the columns wider until the new one has a place beside the others.
func (g *grid) add(p Point) {
	at := p.T >> g.shift
	for at < g.first || at > g.last {
		first, last := min(g.first, at), max(g.last, at)
		if span := last - first; span >= 0 && span < g.most { // below 0: beyond 64 bits
			g.first, g.last = first, last
			break
		}
		g.widen()
		at = p.T >> g.shift
	}
	g.at(at).take(&column{true, p, p, p, p})
}

// widen doubles the width of the columns.
func (g *grid) widen() {
	old := slices.Clone(g.columns)
	clear(g.columns)
	for i := g.first; i <= g.last; i++ {
		g.at(i >> 1).take(&old[i&int64(len(old)-1)])
	}
	g.shift, g.first, g.last = g.shift+1, g.first>>1, g.last>>1
}

// take adds the points of another column. Which of several equal extremes is kept does not depend
// on the order in which they come.
func (c *column) take(o *column) {
	switch {
	case !o.used:
		return
	case !c.used:
		*c = *o
		return
	}
	if compare(o.first, c.first) < 0 {
		c.first = o.first
	}
	if compare(o.last, c.last) > 0 {
		c.last = o.last
	}
	if o.low.Lo < c.low.Lo || o.low.Lo == c.low.Lo && compare(o.low, c.low) < 0 {
		c.low = o.low
	}
	if o.high.Hi > c.high.Hi || o.high.Hi == c.high.Hi && compare(o.high, c.high) < 0 {
		c.high = o.high
	}
}

// points returns the points that the columns keep, at most four of each.
func (g *grid) points() (out []Point) {
	for i := g.first; i <= g.last; i++ {
		c, at := g.at(i), len(out)
		if !c.used {
			continue
		}
		for _, p := range [...]Point{c.first, c.low, c.high, c.last} {
			if !slices.Contains(out[at:], p) {
				out = append(out, p)
			}
		}
	}
	return out
}
