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
	width       int64  // width of a part, ns
	first, last int64  // numbers of parts between which all values are
	parts       totals // by number
	at          int64  // number of the part of the latest value,
	latest      *part  // which mostly is that of the next one, too
}

// part is the sum and the number of the values in it.
type part struct {
	sum float64
	n   int64
}

// totals are parts, or cells, by number.
type totals map[int64]*part

// add adds values to the part of a number, and returns that part.
func (t totals) add(i int64, p part) *part {
	to := t[i]
	if to == nil {
		to = &part{}
		t[i] = to
	}
	to.sum, to.n = to.sum+p.sum, to.n+p.n
	return to
}

const (
	partsPerCell = 16
	maxParts     = 1 << 16 // from the first to the last, empty ones included; for more, parts become wider
)

func newMeans(width int64) *means {
	return &means{width: width, first: math.MaxInt64, last: math.MinInt64, parts: totals{}}
}

// add adds a value.
func (m *means) add(p Point) {
	i := floor(p.T, m.width)
	if i == m.at && m.latest != nil {
		m.latest.sum, m.latest.n = m.latest.sum+p.Lo, m.latest.n+1
		return
	}
	for len(m.parts) > 0 && max(m.last, i)-min(m.first, i) >= maxParts {
		m.widen()
		i = floor(p.T, m.width)
	}
	m.first, m.last = min(m.first, i), max(m.last, i)
	m.at, m.latest = i, m.parts.add(i, part{p.Lo, 1})
}

// widen joins each two neighbouring parts.
func (m *means) widen() {
	old := m.parts
	m.width, m.first, m.last, m.parts = 2*m.width, floor(m.first, 2), floor(m.last, 2), totals{}
	for i, p := range old {
		m.parts.add(floor(i, 2), *p)
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
	cells := totals{}
	for _, i := range slices.Sorted(maps.Keys(m.parts)) {
		middle := i*m.width + m.width/2
		if middle < begin && middle+m.width/2 > begin {
			middle = begin // only its second half can have values
		}
		cells.add(floor(middle-begin, cell), *m.parts[i])
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		v := cells[at].sum / float64(cells[at].n)
		out = append(out, Point{begin + at*cell, v, v})
	}
	return out
}
