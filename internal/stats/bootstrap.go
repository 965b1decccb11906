package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// resamples is how many times a [Bootstrap] draws: each tail of a 95 % interval then
// holds 25 draws.
const resamples = 1000

// bootstrapSeed is fixed, so that equal samples give equal intervals.
const bootstrapSeed = 0x6d70746370

// Bootstrap draws from samples of n values with replacement. The number n determines
// which positions are drawn. So all metrics of one set of runs use the same draws of
// runs, as if the study were repeated. It holds 4 kB per value of a sample.
type Bootstrap struct {
	n     int
	draws []int32 // distinct draws of n positions each, ascending
	count []int   // how often each of them was drawn; a sample of few values has few distinct draws
}

// NewBootstrap prepares the draws for samples of n values.
func NewBootstrap(n int) *Bootstrap {
	b := &Bootstrap{n: n}
	if n < 2 {
		return b
	}
	r := rand.New(rand.NewPCG(bootstrapSeed, 0))
	draw, known := make([]int32, n), map[string]int{}
	for range resamples {
		for i := range draw {
			draw[i] = r.Int32N(int32(n))
		}
		slices.Sort(draw)
		key := fmt.Sprint(draw)
		at, ok := known[key]
		if !ok {
			at = len(b.count)
			known[key] = at
			b.draws, b.count = append(b.draws, draw...), append(b.count, 0)
		}
		b.count[at]++
	}
	return b
}

// Interval returns the interval of the mean of x's population at a confidence between 0
// and 1, from the percentiles of the resampled means. For a single value both ends are
// that value, because it does not show a spread. x must have the length of
// NewBootstrap.
func (b *Bootstrap) Interval(x []float64, confidence float64) (low, high float64) {
	if len(x) == 0 {
		return 0, 0
	}
	if b.n < 2 || constant(x) {
		return x[0], x[0]
	}
	means := make([]float64, 0, resamples)
	for i, times := range b.count {
		mean := b.mean(x, i)
		for range times {
			means = append(means, mean)
		}
	}
	return intervalOf(means, confidence)
}

// intervalOf sorts resampled values, and returns the ends of the part of them in the middle that is as
// large as the confidence.
func intervalOf(values []float64, confidence float64) (low, high float64) {
	slices.Sort(values)
	tail := (1 - confidence) / 2
	return Quantile(values, tail), Quantile(values, 1-tail)
}

// mean returns the mean of the i-th distinct draw from x.
func (b *Bootstrap) mean(x []float64, i int) float64 {
	sum := 0.0
	for _, at := range b.draws[i*b.n : (i+1)*b.n] {
		sum += x[at]
	}
	return sum / float64(b.n)
}

func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// MeansInterval returns the interval of a function of the means of several samples. It
// resamples each sample independently, applies the function to the means, and takes
// percentiles of the results. The seed is fixed. No sample may be empty.
func MeansInterval(samples [][]float64, confidence float64, of func(means []float64) float64) [2]float64 {
	r := rand.New(rand.NewPCG(bootstrapSeed, 1))
	values, means := make([]float64, resamples), make([]float64, len(samples))
	for i := range values {
		for k, x := range samples {
			means[k] = resampled(x, r)
		}
		values[i] = of(means)
	}
	low, high := intervalOf(values, confidence)
	return [2]float64{low, high}
}

// resampled returns the mean of one draw from x.
func resampled(x []float64, r *rand.Rand) float64 {
	sum := 0.0
	for range x {
		sum += x[r.IntN(len(x))]
	}
	return sum / float64(len(x))
}
