package stats

import "math"

const (
	stepBits = 7 // steps of an octave: 128
	steps    = 1 << stepBits
	octaves  = 2048 // exponents of a float64
)

// HistogramError is the largest relative error of a quantile that a
// [Histogram] gives: half the width of a step.
const HistogramError = 1.0 / (2 * steps)

// Histogram counts weights in steps that are linear within an octave and
// logarithmic over octaves, for positive and negative values and zero. An
// octave takes 1 kB once a value falls into it.
type Histogram struct {
	zero      float64
	total     float64
	neg, pos  []*[steps]float64 // by octave from lowNeg, lowPos on
	loNeg, lo int
}

// Add counts a finite value.
func (h *Histogram) Add(v, w float64) {
	h.total += w
	b := math.Float64bits(v)
	row := int(b >> 52 & (octaves - 1))
	if row == 0 { // zero, or so near to it that nothing measured here is
		h.zero += w
		return
	}
	col := b >> (52 - stepBits) & (steps - 1)
	if v > 0 {
		if i := row - h.lo; i >= 0 && i < len(h.pos) && h.pos[i] != nil {
			h.pos[i][col] += w
			return
		}
		place(&h.pos, &h.lo, row)[col] += w
		return
	}
	place(&h.neg, &h.loNeg, row)[col] += w
}

// place returns the steps of an octave, made on first use.
func place(rows *[]*[steps]float64, lo *int, row int) *[steps]float64 {
	switch {
	case len(*rows) == 0:
		*lo = row
		*rows = make([]*[steps]float64, 1, 8)
	case row < *lo:
		grown := make([]*[steps]float64, len(*rows)+*lo-row)
		copy(grown[*lo-row:], *rows)
		*rows, *lo = grown, row
	}
	for row-*lo >= len(*rows) {
		*rows = append(*rows, nil)
	}
	r := &(*rows)[row-*lo]
	if *r == nil {
		*r = new([steps]float64)
	}
	return *r
}

// Quantile returns the value at probability p: the middle of the step in which
// it lies.
func (h *Histogram) Quantile(p float64) float64 {
	left := p * h.total
	for i := len(h.neg) - 1; i >= 0; i-- {
		if h.neg[i] == nil {
			continue
		}
		for col := steps - 1; col >= 0; col-- {
			if left -= h.neg[i][col]; left <= 0 && h.neg[i][col] > 0 {
				return -middle(h.loNeg+i, col)
			}
		}
	}
	if left -= h.zero; left <= 0 && h.zero > 0 {
		return 0
	}
	last := 0.0
	for i := range h.pos {
		if h.pos[i] == nil {
			continue
		}
		for col, w := range h.pos[i] {
			if w == 0 {
				continue
			}
			last = middle(h.lo+i, col)
			if left -= w; left <= 0 {
				return last
			}
		}
	}
	return last
}

// middle returns the middle of a step.
func middle(row, col int) float64 {
	lo := math.Float64frombits(uint64(row)<<52 | uint64(col)<<(52-stepBits))
	return lo + math.Ldexp(1, row-1023-stepBits-1)
}
