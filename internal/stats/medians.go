package stats

import (
	"math/rand/v2"
	"slices"
)

// LeastForMedians is how many values each sample needs before [MedianOfMedians] returns
// an interval. With fewer values the extremes are drawn too seldom.
const LeastForMedians = 3

// MedianOfMedians returns the median of the medians of several samples, and its
// interval at a confidence between 0 and 1. The interval comes from the percentiles of
// resamples. Each resample draws from every sample as many values as the sample has, as
// if the study were repeated. ok says that there is an interval: each sample has at
// least [LeastForMedians] values.
func MedianOfMedians(samples [][]float64, confidence float64) (value, low, high float64, ok bool) {
	if len(samples) == 0 {
		return 0, 0, 0, false
	}
	medians := make([]float64, len(samples))
	ok = true
	for i, x := range samples {
		medians[i] = median(slices.Clone(x))
		ok = ok && len(x) >= LeastForMedians
	}
	value = median(medians)
	if !ok {
		return value, 0, 0, false
	}
	r := rand.New(rand.NewPCG(bootstrapSeed, 2))
	drawn := make([]float64, resamples)
	var room []float64
	for k := range drawn {
		for i, x := range samples {
			room = room[:0]
			for range x {
				room = append(room, x[r.IntN(len(x))])
			}
			medians[i] = median(room)
		}
		drawn[k] = median(medians)
	}
	low, high = intervalOf(drawn, confidence)
	return value, low, high, true
}

// median sorts x, which is not empty, and returns its median.
func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// Quantile interpolates between values that ascend (type 7 of Hyndman and Fan, 1996).
func Quantile(x []float64, p float64) float64 {
	at := p * float64(len(x)-1)
	i := int(at)
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}
