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
// octave takes 1 kB.
//
// The steps of the octaves where most positive values lie are one run of
// memory, so that a value there is counted without a look-up of its octave.
type histogram struct {
	near     []float64 // the steps of up to maxNear consecutive octaves of positive values
	from     uint64    // number of the step near[0]
	zero     float64
	neg, pos rows // everything else
}

// maxNear is how many octaves are kept in one run: from a microsecond to an
// hour, or from an octet to a window of 1 GiB.
const maxNear = 32

// step returns the number of a value's step: those of one octave, and the
// octaves, follow each other. Negative values have the highest numbers.
func step(value float64) uint64 { return math.Float64bits(value) >> (52 - stepBits) }

// add counts a value.
func (h *histogram) add(value, weight float64) {
	if k := step(value) - h.from; k < uint64(len(h.near)) {
		h.near[k] += weight
		return
	}
	row := int(math.Float64bits(value) >> 52 & (octaves - 1))
	switch {
	case row == 0: // zero, or so near to it that nothing measured here is
		h.zero += weight
	case value < 0:
		h.neg.add(row, value, weight)
	case h.reach(row):
		h.near[step(value)-h.from] += weight
	default:
		h.pos.add(row, value, weight)
	}
}

// reach extends near to an octave, if that leaves it small enough.
func (h *histogram) reach(row int) bool {
	lo, hi, at := row, row+1, int(h.from>>stepBits)
	if len(h.near) > 0 {
		lo, hi = min(lo, at), max(hi, at+len(h.near)/steps)
	}
	if hi-lo > maxNear {
		return false
	}
	near := make([]float64, (hi-lo)*steps)
	if len(h.near) > 0 {
		copy(near[(at-lo)*steps:], h.near)
	}
	h.near, h.from = near, uint64(lo)<<stepBits
	return true
}

// octave returns the steps of an octave of positive values that are near; nil
// where it is not.
func (h *histogram) octave(row int) []float64 {
	at := (row - int(h.from>>stepBits)) * steps
	if at < 0 || at >= len(h.near) {
		return nil
	}
	return h.near[at : at+steps]
}

// rows are the steps by octave, from octave lo on; nil where no value fell.
type rows struct {
	list []*[steps]float64
	lo   int
}

// add counts the size of a value of octave row.
func (r *rows) add(row int, value, weight float64) {
	i := row - r.lo
	if uint(i) >= uint(len(r.list)) || r.list[i] == nil {
		i = r.place(row)
	}
	r.list[i][step(value)%steps] += weight
}

// octave returns the steps of an octave; nil where no value fell.
func (r *rows) octave(row int) *[steps]float64 {
	if i := row - r.lo; i >= 0 && i < len(r.list) {
		return r.list[i]
	}
	return nil
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
	h.ascendPositive(f)
}

// ascendPositive is ascend for positive values. An octave may be both near and
// far: near grew to it later.
func (h *histogram) ascendPositive(f func(value, weight float64) bool) {
	lo, hi := int(h.from>>stepBits), int(h.from>>stepBits)+len(h.near)/steps
	if n := len(h.pos.list); n > 0 {
		lo, hi = min(lo, h.pos.lo), max(hi, h.pos.lo+n)
	}
	for row := lo; row < hi; row++ {
		near, far := h.octave(row), h.pos.octave(row)
		for col := range steps {
			w := 0.0
			if near != nil {
				w = near[col]
			}
			if far != nil {
				w += far[col]
			}
			if w > 0 && !f(middle(row, col), w) {
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
