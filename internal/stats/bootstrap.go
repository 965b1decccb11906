package stats

import (
	"math/rand/v2"
	"slices"
)

// resamples is how many times a bootstrap draws: each tail of a 95 % interval then
// holds 25 draws.
const resamples = 1000

// bootstrapSeed is fixed, so that equal samples give equal intervals.
const bootstrapSeed = 0x6d70746370

// intervalOf sorts resampled values, and returns the ends of the part of them in the middle that is as
// large as the confidence.
func intervalOf(values []float64, confidence float64) (low, high float64) {
	slices.Sort(values)
	tail := (1 - confidence) / 2
	return Quantile(values, tail), Quantile(values, 1-tail)
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
