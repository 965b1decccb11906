package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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

// MeanInterval returns the interval of the mean of x's population at a confidence between 0 and 1: the bootstrap of Efron
// (1987), corrected for bias and skewness (BCa). It lies within the values. The seed is fixed. It is nil below two values,
// which show no spread.
func MeanInterval(x []float64, confidence float64) *[2]float64 {
	if len(x) < 2 {
		return nil
	}
	// Rounding is no spread, and third powers have to be numbers.
	if low, high := slices.Min(x), slices.Max(x); high-low <= max(1e-9*math.Abs(high), 1e-99) || high-low > 1e99 {
		return &[2]float64{low, high}
	}
	r, mean, means := rand.New(rand.NewPCG(bootstrapSeed, 0)), stat.Mean(x, nil), make([]float64, resamples)
	for i := range means {
		means[i] = resampled(x, r)
	}
	slices.Sort(means)
	below, _ := slices.BinarySearch(means, mean)
	share := (float64(below) + float64(equal(means[below:], mean))/2) / resamples
	bias := distuv.UnitNormal.Quantile(min(max(share, 0.5/resamples), 1-0.5/resamples)) // finite, where no resample lies below the mean
	skew := stat.MomentAbout(3, x, mean, nil) / math.Pow(stat.MomentAbout(2, x, mean, nil), 1.5) / 6 / math.Sqrt(float64(len(x)))
	end := func(p float64) float64 {
		z := bias + distuv.UnitNormal.Quantile(p)
		return Quantile(means, distuv.UnitNormal.CDF(bias+z/(1-skew*z)))
	}
	return &[2]float64{end((1 - confidence) / 2), end((1 + confidence) / 2)}
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
