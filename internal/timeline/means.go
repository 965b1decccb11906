package timeline

import (
	"maps"
	"math"
	"slices"
)

// means are sums of values in parts of cells. The first cell of a direction begins at its
// first data, which may be known later than the first value. So the sums are kept for small
// parts, and the parts are put together into cells later. Only parts with values are kept: a
// pause takes no memory.
type means struct {
	width       int64          // width of a part, ns
	first, last int64          // numbers of parts between which all values are
	parts       map[int64]part // by number
}

// part is the sum and the number of the values in it.
type part struct {
	sum float64
	n   int64
}

// and returns the part of the values of both.
func (p part) and(o part) part { return part{p.sum + o.sum, p.n + o.n} }

const (
	partsPerCell = 16
	maxParts     = 1 << 16 // from the first to the last, empty ones included; for more, parts become wider
)

func newMeans(width int64) *means {
	return &means{width: width, first: math.MaxInt64, last: math.MinInt64, parts: map[int64]part{}}
}

// add adds a value.
func (m *means) add(p Point) {
	i := floor(p.T, m.width)
	for len(m.parts) > 0 && max(m.last, i)-min(m.first, i) >= maxParts {
		m.widen()
		i = floor(p.T, m.width)
	}
	m.first, m.last = min(m.first, i), max(m.last, i)
	m.parts[i] = m.parts[i].and(part{p.Lo, 1})
}

// widen joins each two neighbouring parts.
func (m *means) widen() {
	old := m.parts
	m.width, m.first, m.last, m.parts = 2*m.width, floor(m.first, 2), floor(m.last, 2), map[int64]part{}
	for i, p := range old {
		m.parts[floor(i, 2)] = m.parts[floor(i, 2)].and(p)
	}
}

// floor divides and rounds down.
func floor(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }

// Means returns the mean of the values in each cell of that width, ns. One cell begins at
// begin, ns; cells without values are left out. A part belongs to the cell in which its
// middle is. So a value can be counted in the neighbouring cell if it is nearer to the
// border than half a part: a thirty-second of a cell, or more where there were so many
// parts that they became wider.
func (l *Series) Means(cell, begin int64) (out []Point) {
	if l.means == nil || cell <= 0 {
		return nil
	}
	m := l.means
	cell = max(cell, m.width)
	cells := map[int64]part{}
	for _, i := range slices.Sorted(maps.Keys(m.parts)) {
		middle := i*m.width + m.width/2
		if middle < begin && middle+m.width/2 > begin {
			middle = begin // only its second half can have values
		}
		at := floor(middle-begin, cell)
		cells[at] = cells[at].and(m.parts[i])
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		v := cells[at].sum / float64(cells[at].n)
		out = append(out, Point{begin + at*cell, v, v})
	}
	return out
}
