package timeline

import "math"

// means are sums of values in parts of cells. The first cell of a direction begins at its
// first data, which may be known later than the first value. So the sums are kept for small
// parts, and the parts are put together into cells later.
type means struct {
	width int64 // width of a part, ns
	first int64 // number of the first part
	parts []part
}

// part is the sum and the number of the values in it.
type part struct {
	sum float64
	n   int64
}

const (
	partsPerCell = 16
	maxParts     = 1 << 16 // for more, parts become wider
)

// add adds a value.
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

// widen joins each two neighbouring parts.
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

// Means returns the mean of the values in each cell of that width, ns. One cell begins at
// begin, ns; cells without values are left out. A part belongs to the cell in which its
// middle is. So a value can be counted in the neighbouring cell if it is nearer to the
// border than half a part: a thirty-second of a cell, or more where there were so many
// parts that they became wider.
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
			middle = begin // only its second half can have values
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
