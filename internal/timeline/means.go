package timeline

import "math"

// means are sums of values in parts of cells. The cells of a direction begin at its
// first data, which a series need not know when its first value comes: parts are
// small enough to be put together later.
type means struct {
	width int64 // of a part, ns
	first int64 // number of the first part
	parts []part
}

// part is the values in it.
type part struct {
	sum float64
	n   int64
}

const (
	partsPerCell = 16
	maxParts     = 1 << 16 // beyond, parts get wider
)

// add takes a value.
func (m *means) add(p Point) {
	i := floor(p.T, m.width)
	if len(m.parts) == 0 {
		m.first = i
	}
	for {
		low, high := min(i, m.first), max(i+1, m.first+int64(len(m.parts)))
		if high-low <= maxParts {
			break
		}
		m.widen()
		i = floor(p.T, m.width)
	}
	if i < m.first {
		m.parts = append(make([]part, m.first-i), m.parts...)
		m.first = i
	}
	for int64(len(m.parts)) <= i-m.first {
		m.parts = append(m.parts, part{})
	}
	at := &m.parts[i-m.first]
	at.sum += p.Lo
	at.n++
}

// widen puts two parts each together.
func (m *means) widen() {
	first := floor(m.first, 2)
	out := make([]part, floor(m.first+int64(len(m.parts))-1, 2)-first+1)
	for k, p := range m.parts {
		at := &out[floor(m.first+int64(k), 2)-first]
		at.sum += p.sum
		at.n += p.n
	}
	m.width, m.first, m.parts = 2*m.width, first, out
}

// floor divides and rounds down.
func floor(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }

// Means returns the mean of the values in each cell of that width, from a grid with a
// line at begin; cells without values are left out. Parts of cells belong to the cell
// that their middle is in, so that a value up to a thirty-second of a cell away from
// its border may be in the neighbour.
func (l *Series) Means(cell, begin int64) (out []Point) {
	if l.means == nil || cell <= 0 {
		return nil
	}
	cell = max(cell, l.means.width)
	at, sum := int64(math.MinInt64), part{}
	flush := func() {
		if sum.n > 0 {
			v := sum.sum / float64(sum.n)
			out = append(out, Point{begin + at*cell, v, v})
		}
	}
	for k, p := range l.means.parts {
		middle := (l.means.first+int64(k))*l.means.width + l.means.width/2
		if middle < begin && middle+l.means.width/2 > begin {
			middle = begin // what is behind the first line of the grid is all that there is
		}
		if c := floor(middle-begin, cell); c != at {
			flush()
			at, sum = c, part{}
		}
		sum.sum += p.sum
		sum.n += p.n
	}
	flush()
	return out
}
