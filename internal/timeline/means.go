package timeline

import (
	"cmp"
	"math"
	"slices"
)

// means are sums of values in parts of cells. The first cell of a direction begins at its
// first data, which may be known later than the first value. So the sums are kept for small
// parts, and the parts are put together into cells later. Only parts with values are kept: a
// pause takes no memory.
type means struct {
	width int64  // width of a part, ns
	parts []part // in the order of time; bounded by maxParts
}

// part is the sum and the number of the values in it.
type part struct {
	at  int64 // number of the part
	sum float64
	n   int64
}

const (
	partsPerCell = 16
	maxParts     = 1 << 16 // from the first to the last, empty ones included; for more, parts become wider
)

// add adds a value.
func (m *means) add(p Point) {
	i := floor(p.T, m.width)
	for n := len(m.parts); n > 0; n = len(m.parts) {
		if max(i, m.parts[n-1].at)-min(i, m.parts[0].at) < maxParts {
			break
		}
		m.widen()
		i = floor(p.T, m.width)
	}
	at := m.part(i)
	at.sum += p.Lo
	at.n++
}

// part returns the part of a number. Most values come in the order of time.
func (m *means) part(i int64) *part {
	n := len(m.parts)
	switch {
	case n == 0 || m.parts[n-1].at < i:
		m.parts = append(m.parts, part{at: i})
		return &m.parts[n]
	case m.parts[n-1].at == i:
		return &m.parts[n-1]
	}
	k, found := slices.BinarySearchFunc(m.parts, i, func(p part, i int64) int { return cmp.Compare(p.at, i) })
	if !found {
		m.parts = slices.Insert(m.parts, k, part{at: i})
	}
	return &m.parts[k]
}

// widen joins each two neighbouring parts.
func (m *means) widen() {
	out := m.parts[:0]
	for _, p := range m.parts {
		p.at = floor(p.at, 2)
		if n := len(out); n > 0 && out[n-1].at == p.at {
			out[n-1].sum += p.sum
			out[n-1].n += p.n
			continue
		}
		out = append(out, p)
	}
	m.width, m.parts = 2*m.width, out
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
	for _, p := range l.means.parts {
		middle := p.at*l.means.width + l.means.width/2
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
