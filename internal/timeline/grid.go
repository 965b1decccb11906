package timeline

// grid keeps points by columns. The width of a column is a power of two, and it begins at a
// multiple of its width. So a wider column consists of whole narrower ones, and thinning
// twice loses no more than thinning once.
type grid struct {
	shift   uint     // a time shifted right by this is the number of its column
	first   int64    // number of the first column
	columns []column // bounded by its capacity
}

// column is what a figure shows of the points in one column.
type column struct {
	used                   bool
	first, last, low, high Point
}

// newGrid returns an empty grid of at most that many columns, but at least two, because no
// column holds times on both sides of 0.
func newGrid(columns int) *grid { return &grid{columns: make([]column, 0, max(2, columns))} }

// add adds a point. Which of several equal extremes is kept does not depend on the order in
// which they come.
func (g *grid) add(p Point) {
	i := p.T>>g.shift - g.first
	if i < 0 || i >= int64(len(g.columns)) {
		i = g.fit(p.T)
	}
	c := &g.columns[i]
	if !c.used {
		*c = column{true, p, p, p, p}
		return
	}
	if p.T <= c.first.T && compare(p, c.first) < 0 {
		c.first = p
	}
	if p.T >= c.last.T && compare(p, c.last) > 0 {
		c.last = p
	}
	if p.Lo < c.low.Lo || p.Lo == c.low.Lo && compare(p, c.low) < 0 {
		c.low = p
	}
	if p.Hi > c.high.Hi || p.Hi == c.high.Hi && compare(p, c.high) < 0 {
		c.high = p
	}
}

// fit makes room for a time, with wider columns if necessary, and returns the index of its
// column.
func (g *grid) fit(t int64) int64 {
	if len(g.columns) == 0 {
		g.first = t >> g.shift
	}
	for {
		at, end := t>>g.shift, g.first+int64(len(g.columns))
		first := min(g.first, at)
		n := max(end, at+1) - first
		if n > int64(cap(g.columns)) || n < 0 {
			g.widen()
			continue
		}
		before := g.first - first
		old := len(g.columns)
		g.columns = g.columns[:n]
		copy(g.columns[before:], g.columns[:old])
		clear(g.columns[:before])
		clear(g.columns[before+int64(old):])
		g.first = first
		return at - first
	}
}

// widen doubles the width of the columns.
func (g *grid) widen() {
	odd := g.first & 1
	g.shift++
	g.first >>= 1
	n := 0
	for i := range g.columns {
		to := (i + int(odd)) / 2
		c := g.columns[i]
		if to == n {
			g.columns[n] = c
			n++
			continue
		}
		g.columns[to].merge(&c)
	}
	g.columns = g.columns[:n]
}

// merge adds the points of the next column.
func (c *column) merge(next *column) {
	switch {
	case !next.used:
	case !c.used:
		*c = *next
	default:
		c.last = next.last
		if next.low.Lo < c.low.Lo {
			c.low = next.low
		}
		if next.high.Hi > c.high.Hi {
			c.high = next.high
		}
	}
}

// points returns the points that the columns keep, at most four of each.
func (g *grid) points() (out []Point) {
	for i := range g.columns {
		c := &g.columns[i]
		if !c.used {
			continue
		}
		at := len(out)
	next:
		for _, p := range [...]Point{c.first, c.low, c.high, c.last} {
			for _, o := range out[at:] {
				if o == p {
					continue next
				}
			}
			out = append(out, p)
		}
	}
	return out
}
