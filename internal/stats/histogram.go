package stats

import (
	"cmp"
	"math"
	"slices"
)

const (
	stepBits = 7 // steps of an octave: 128
	steps    = 1 << stepBits
	octaves  = 1 << 11 // exponents of a float64; negative values have as many more
)

// ErrorPart bounds the error of a value from a histogram, and so the error of a
// percentile. The error is at most 1 / ErrorPart of the value, half the width of a
// step.
const ErrorPart = 2 * steps

// histogram counts weights in steps that are linear within an octave and logarithmic
// over octaves, for positive and negative values and zero. An octave takes 1 kB.
type histogram struct {
	runs []run // the common run first, if there is one; the others in the order in which they were made
}

// run is a part of a histogram: runOctaves octaves, of which it holds the lowest to the
// highest in use. It is one piece of memory, so that a value is counted without a
// search for its octave.
type run struct {
	from  uint64    // number of the first step
	steps []float64 // weights; bounded by runOctaves octaves
}

// The octaves are divided into runs so that one of them, the common run, holds all usual
// values. These are values from 2^-20 (less than a nanosecond, in milliseconds) to 2^44
// (17 TB, or three centuries).
const (
	runOctaves = 64
	commonRun  = (1023 - 20 + runShift) / runOctaves
	runShift   = runOctaves - (1023-20)%runOctaves
)

// step returns the number of a value's step. Steps are numbered through all octaves;
// negative values have the highest numbers.
func step(value float64) uint64 { return math.Float64bits(value) >> (52 - stepBits) }

// id returns the number of the run that a step belongs to.
func id(step uint64) uint64 { return (step>>stepBits + runShift) / runOctaves }

// middle returns the middle of a step. Values too small for a normal float64 count as
// zero.
func middle(step uint64) float64 {
	if step>>stepBits%octaves == 0 {
		return 0
	}
	return math.Float64frombits(step<<(52-stepBits) | 1<<(52-stepBits-1))
}

// rank orders runs by their values. It is negative for negative values.
func (r *run) rank() int {
	if rank := int(r.from); rank < octaves*steps {
		return rank
	}
	return -int(r.from)
}

// count counts a value of the run.
func (r *run) count(value, weight float64) { r.steps[step(value)-r.from] += weight }

// runOf returns the run of a value, and makes or extends it if necessary. The value
// must be within the bounds.
func (h *histogram) runOf(value float64) *run {
	k := step(value)
	i := slices.IndexFunc(h.runs, func(r run) bool { return id(r.from) == id(k) })
	switch {
	case i >= 0:
	case id(k) == commonRun:
		h.runs = slices.Insert(h.runs, 0, run{from: k - k%steps})
		i = 0
	default:
		h.runs = append(h.runs, run{from: k - k%steps})
		i = len(h.runs) - 1
	}
	r := &h.runs[i]
	r.reach(k)
	return r
}

// reserve makes room for values in the common run at once. Without it the run would grow
// octave by octave.
func (h *histogram) reserve(list []Weighted) {
	var low, high float64
	for i := range list {
		if v := list[i].Value; id(step(v)) == commonRun { // positive numbers only
			if low == 0 || v < low {
				low = v
			}
			if v > high {
				high = v
			}
		}
	}
	if low > 0 {
		h.runOf(high)
		h.runOf(low)
	}
}

// reach extends the run to the octave of a step.
func (r *run) reach(k uint64) {
	first, end := r.from, r.from+uint64(len(r.steps))
	if first <= k && k < end {
		return
	}
	octave := k - k%steps
	r.from, end = min(first, octave), max(end, octave+steps)
	grown := make([]float64, end-r.from)
	copy(grown[first-r.from:], r.steps)
	r.steps = grown
}

// ascending appends to list the middle and the weight of each step with weight.
func (h *histogram) ascending(list []Weighted) []Weighted {
	runs := slices.SortedFunc(slices.Values(h.runs), func(a, b run) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, r := range runs {
		for i := range r.steps {
			if r.rank() < 0 {
				i = len(r.steps) - 1 - i
			}
			if w := r.steps[i]; w > 0 {
				list = append(list, Weighted{middle(r.from + uint64(i)), w})
			}
		}
	}
	return list
}
