package fairness

import "mpanalyze/internal/report"

// kind says how a flow takes part in an overlap.
type kind int

const (
	tcp kind = iota
	multipath
	looked // it takes no part, but its bytes are counted
)

// competitor is a flow of an overlap.
type competitor struct {
	kind  kind
	cells *cells

	bytes, time int64 // what it sent in the cells of the overlap, and in how many of these cells it was active
}

// overlap is the time in which at least one flow of Multipath TCP and one of plain TCP were active.
type overlap struct {
	all         []competitor
	shift       uint
	first, last int64 // numbers of its first and last cell
	n           int64 // number of its cells
}

// overlapOf finds the cells in which both kinds were active, and counts the bytes of each flow there.
func overlapOf(all []competitor) *overlap {
	c := &overlap{all: all}
	for i := range all {
		c.shift = max(c.shift, all[i].cells.shift)
	}
	for i := range all {
		all[i].cells = new(all[i].cells.longer(c.shift))
	}
	for _, n := range common(all) {
		c.take(n)
	}
	return c
}

// take adds a cell to the overlap.
func (c *overlap) take(n int64) {
	if c.n++; c.n == 1 {
		c.first = n
	}
	c.last = n
	for i := range c.all {
		if x := &c.all[i]; x.cells.active(n) {
			x.bytes += x.cells.at[n].all
			x.time++
		}
	}
}

// rate returns the rate of a flow over the time in which it was active, in Mbit/s.
func (c *overlap) rate(i int) float64 { return c.over(c.all[i].bytes, c.all[i].time) }

// over returns bytes over the time of n cells as a rate, in Mbit/s.
func (c *overlap) over(bytes, n int64) float64 { return 8e3 * float64(bytes) / float64(n<<c.shift) }

// meanTCP returns the mean rate of the plain TCP connections, Mbit/s.
func (c *overlap) meanTCP() float64 {
	sum, n := 0., 0.
	for i := range c.all {
		if c.all[i].kind == tcp && c.all[i].time > 0 {
			sum += c.rate(i)
			n++
		}
	}
	return sum / n
}

func (c *overlap) from() report.Time { return report.Time(c.first << c.shift) }
func (c *overlap) to() report.Time   { return report.Time((c.last + 1) << c.shift) }
func (c *overlap) seconds() float64  { return float64(c.n<<c.shift) / 1e9 }
func (c *overlap) cell() float64     { return float64(int64(1)<<c.shift) / 1e6 }
