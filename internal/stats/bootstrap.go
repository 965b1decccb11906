package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Resamples is how many times a [Bootstrap] draws: each tail of a 95 %
// interval then holds 25 of them.
const Resamples = 1000

// bootstrapSeed makes equal samples give equal intervals in every run of the
// program.
const bootstrapSeed = 0x6d70746370

// Bootstrap draws from samples of n values with replacement. Which positions
// are drawn is fixed by n and stream, so that all metrics of one set of runs
// see the same draws of runs, as they would if the study were repeated.
//
// It holds 4 kB per value of a sample.
type Bootstrap struct {
	n     int
	draws []int32 // Resamples draws of n positions each
}

// NewBootstrap prepares the draws for samples of n values. Two samples that
// are compared need draws of their own: give them different streams.
func NewBootstrap(n int, stream uint64) *Bootstrap {
	b := &Bootstrap{n: n}
	if n < 2 {
		return b
	}
	r := rand.New(rand.NewPCG(bootstrapSeed, stream))
	b.draws = make([]int32, Resamples*n)
	for i := range b.draws {
		b.draws[i] = r.Int32N(int32(n))
	}
	return b
}

// Interval returns the interval in which the mean of x's population lies at a
// confidence between 0 and 1, by the percentiles of the resampled means. The
// interval of a single value is that value: it says nothing about its spread.
// x must have the length that b was made for.
func (b *Bootstrap) Interval(x []float64, confidence float64) (low, high float64) {
	return ends(b.means(x), confidence)
}

// means returns the mean of each resample of x; one mean where all would be
// equal.
func (b *Bootstrap) means(x []float64) []float64 {
	if len(x) == 0 {
		return []float64{0}
	}
	if b.draws == nil || constant(x) {
		return []float64{x[0]}
	}
	out := make([]float64, Resamples)
	for i := range out {
		sum := 0.0
		for _, at := range b.draws[i*b.n : (i+1)*b.n] {
			sum += x[at]
		}
		out[i] = sum / float64(b.n)
	}
	return out
}

func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// ends returns the percentiles between which a part of the values lies that is
// as large as the confidence. It sorts v.
func ends(v []float64, confidence float64) (low, high float64) {
	slices.Sort(v)
	tail := (1 - confidence) / 2
	return percentile(v, tail), percentile(v, 1-tail)
}

// percentile interpolates between order statistics (type 7 of Hyndman and Fan,
// 1996).
func percentile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := math.Floor(at)
	i := int(below)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-below)*(sorted[i+1]-sorted[i])
}

// ChangeInterval returns the interval in which the change from the mean of
// before to the mean of after lies, in units of the values and as a part of
// before's mean. The part is not a number where before's mean can be 0.
func ChangeInterval(before, after []float64, confidence float64) (change, part [2]float64) {
	b := NewBootstrap(len(before), 1).means(before)
	a := NewBootstrap(len(after), 2).means(after)
	n := max(len(a), len(b))
	differences, parts := make([]float64, n), make([]float64, n)
	relative := true
	for i := range n {
		from, to := b[i%len(b)], a[i%len(a)]
		differences[i] = to - from
		parts[i] = (to - from) / math.Abs(from)
		relative = relative && from != 0
	}
	change[0], change[1] = ends(differences, confidence)
	if !relative {
		return change, [2]float64{math.NaN(), math.NaN()}
	}
	part[0], part[1] = ends(parts, confidence)
	return change, part
}
