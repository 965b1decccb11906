package fairness

import (
	"maps"
	"slices"
)

// cells count bytes by time. A cell is 2^shift ns long and begins at a multiple of this length,
// so that cells of all flows can be added up. If the cells of a flow are too far apart, their length doubles.
type cells struct {
	shift       uint
	first, last int64 // numbers of the first and the last cell
	at          map[int64]cell
}

// cell counts the payload in one cell, in bytes: all of it, and the part that was sent again.
type cell struct{ all, again int64 }

const (
	firstShift = 26      // 67 ms
	maxCells   = 1024    // from the first to the last of a flow
	maxSpan    = 1 << 14 // of a sum
)

// add counts bytes at a time, ns.
func (c *cells) add(t, bytes int64, again bool) {
	x := cell{all: bytes}
	if again {
		x.again = bytes
	}
	if c.at == nil {
		c.shift = firstShift
	}
	for c.count(t>>c.shift, x); c.last-c.first >= maxCells; {
		*c = c.longer(c.shift + 1)
	}
}

// count adds to the cell with a number.
func (c *cells) count(n int64, x cell) {
	if c.at == nil {
		c.first, c.last, c.at = n, n, map[int64]cell{}
	}
	c.first, c.last = min(c.first, n), max(c.last, n)
	y := c.at[n]
	c.at[n] = cell{x.all + y.all, x.again + y.again}
}

// longer returns the same counts in cells of another length. shift must not be less than c.shift.
func (c *cells) longer(shift uint) cells {
	out := cells{shift: shift}
	out.include(c)
	return out
}

// include adds cells that are no longer.
func (c *cells) include(in *cells) {
	for n, x := range in.at {
		c.count(n>>(c.shift-in.shift), x)
	}
}

// sum returns the sum of both. Its cells have the greater of both lengths, or more where the
// time between both would have too many cells.
func sum(a, b cells) cells {
	for shift := max(a.shift, b.shift); ; shift++ {
		out := a.longer(shift)
		if out.include(&b); out.last-out.first < maxSpan {
			return out
		}
	}
}

// active reports whether a flow was active during the whole cell: the cell is between the first
// and the last cell with data.
func (c *cells) active(n int64) bool { return n > c.first && n < c.last }

// total returns the sum of all cells.
func (c *cells) total() (sum cell) {
	for _, x := range c.at {
		sum.all += x.all
		sum.again += x.again
	}
	return sum
}

// common returns the numbers of the cells in which flows of both kinds were active, in order. All cells have one length.
func common(all []competitor) []int64 {
	there := [...]map[int64]bool{tcp: {}, multipath: {}}
	for i := range all {
		c := &all[i]
		for n := c.cells.first + 1; c.kind != looked && c.cells.active(n); n++ {
			there[c.kind][n] = true
		}
	}
	maps.DeleteFunc(there[multipath], func(n int64, _ bool) bool { return !there[tcp][n] })
	return slices.Sorted(maps.Keys(there[multipath]))
}
