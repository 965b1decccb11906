package stats

import "math"

const (
	stepBits = 7 // steps of an octave: 128
	steps    = 1 << stepBits
	octaves  = 2048 // exponents of a float64
)

// histogramError is the largest relative error of a value that a histogram
// gives back: half the width of a step.
const histogramError = 1.0 / (2 * steps)

// histogram counts weights in steps that are linear within an octave and
// logarithmic over octaves, for positive and negative values and zero. An
// octave takes 1 kB once a value falls into it.
type histogram struct {
	zero     float64
	neg, pos rows
}

// rows are the steps by octave, from octave lo on; nil where no value fell.
type rows struct {
	list []*[steps]float64
	lo   int
}

// add counts values.
func (h *histogram) add(batch []weighted) {
	for _, e := range batch {
		b := math.Float64bits(e.value)
		row := int(b >> 52 & (octaves - 1))
		if row == 0 { // zero, or so near to it that nothing measured here is
			h.zero += e.weight
			continue
		}
		r := &h.pos
		if e.value < 0 {
			r = &h.neg
		}
		i := row - r.lo
		if uint(i) >= uint(len(r.list)) || r.list[i] == nil {
			i = r.place(row)
		}
		r.list[i][b>>(52-stepBits)&(steps-1)] += e.weight
	}
}

// place makes the steps of an octave and returns their index.
func (r *rows) place(row int) int {
	switch {
	case len(r.list) == 0:
		r.lo = row
	case row < r.lo:
		grown := make([]*[steps]float64, len(r.list)+r.lo-row)
		copy(grown[r.lo-row:], r.list)
		r.list, r.lo = grown, row
	}
	for row-r.lo >= len(r.list) {
		r.list = append(r.list, nil)
	}
	i := row - r.lo
	if r.list[i] == nil {
		r.list[i] = new([steps]float64)
	}
	return i
}

// ascend calls f with the middle and the weight of each step that is not
// empty, until f returns false.
func (h *histogram) ascend(f func(value, weight float64) bool) {
	for i := len(h.neg.list) - 1; i >= 0; i-- {
		if h.neg.list[i] == nil {
			continue
		}
		for col := steps - 1; col >= 0; col-- {
			if w := h.neg.list[i][col]; w > 0 && !f(-middle(h.neg.lo+i, col), w) {
				return
			}
		}
	}
	if h.zero > 0 && !f(0, h.zero) {
		return
	}
	for i, steps := range h.pos.list {
		if steps == nil {
			continue
		}
		for col, w := range steps {
			if w > 0 && !f(middle(h.pos.lo+i, col), w) {
				return
			}
		}
	}
}

// middle returns the middle of a step.
func middle(row, col int) float64 {
	lo := math.Float64frombits(uint64(row)<<52 | uint64(col)<<(52-stepBits))
	return lo + math.Ldexp(1, row-1023-stepBits-1)
}
