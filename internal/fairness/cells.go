package fairness

// cells count bytes by time. A cell is 2^shift ns long and begins at a multiple of this length,
// so that cells of all flows can be added up. If there are too many cells, their length doubles.
type cells struct {
	shift uint
	first int64 // number of the first cell
	list  []cell
}

// cell counts the payload in one cell, in bytes: all of it, and the part that was sent again.
type cell struct{ all, again int64 }

const (
	firstShift = 26   // 67 ms
	maxCells   = 1024 // of a flow
)

// add counts bytes at a time, ns.
func (c *cells) add(t, bytes int64, again bool) {
	if c.list == nil {
		c.shift = firstShift
		c.first = t >> firstShift
	}
	at := max(0, t>>c.shift-c.first) // a packet may be earlier than the first cell
	for at >= maxCells {
		*c = c.at(c.shift + 1)
		at = max(0, t>>c.shift-c.first)
	}
	for at >= int64(len(c.list)) {
		c.list = append(c.list, cell{})
	}
	x := &c.list[at]
	if x.all += bytes; again {
		x.again += bytes
	}
}

// end returns the number of the last cell plus one.
func (c *cells) end() int64 { return c.first + int64(len(c.list)) }

// firstAt and lastAt return the numbers of the first and last cell in cells of another length,
// which must not be less.
func (c *cells) firstAt(shift uint) int64 { return c.first >> (shift - c.shift) }
func (c *cells) lastAt(shift uint) int64  { return (c.end() - 1) >> (shift - c.shift) }

// at returns the same counts in cells of another length. shift must not be less than c.shift.
func (c *cells) at(shift uint) cells {
	if shift == c.shift || len(c.list) == 0 {
		return *c
	}
	out := cells{shift: shift, first: c.firstAt(shift)}
	out.list = make([]cell, c.lastAt(shift)-out.first+1)
	out.include(c)
	return out
}

// include adds the counts of cells that are no longer and lie within c.
func (c *cells) include(in *cells) {
	for i, x := range in.list {
		y := &c.list[(in.first+int64(i))>>(c.shift-in.shift)-c.first]
		y.all += x.all
		y.again += x.again
	}
}

// sum returns the sum of both. Its cells have the greater of both lengths, or more where the
// time between both would have too many cells.
func sum(a, b cells) cells {
	switch {
	case len(a.list) == 0:
		return b
	case len(b.list) == 0:
		return a
	}
	out := cells{shift: max(a.shift, b.shift)}
	for ; ; out.shift++ {
		out.first = min(a.firstAt(out.shift), b.firstAt(out.shift))
		if n := max(a.lastAt(out.shift), b.lastAt(out.shift)) - out.first + 1; n <= maxSpan {
			out.list = make([]cell, n)
			out.include(&a)
			out.include(&b)
			return out
		}
	}
}

// active reports whether a flow was active during the whole cell: the cell is between the first
// and the last cell with data.
func (c *cells) active(n int64) bool { return n > c.first && n < c.end()-1 }

// bytes returns the bytes of a cell.
func (c *cells) bytes(n int64) int64 {
	if n < c.first || n >= c.end() {
		return 0
	}
	return c.list[n-c.first].all
}

// total returns the sum of all cells.
func (c *cells) total() (sum cell) {
	for _, x := range c.list {
		sum.all += x.all
		sum.again += x.again
	}
	return sum
}
