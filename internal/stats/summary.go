package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Summary describes a small sample, such as the runs of a scenario, in the
// unit of its values.
type Summary struct {
	N      int     // number of values
	Mean   float64 // arithmetic mean
	Stddev float64 // standard deviation of the population: divided by N
	Sample float64 // standard deviation of the sample: divided by N-1, as an estimate for further values; 0 for a single one
	Median float64 // mean of the two middle values where N is even
	Min    float64
	Max    float64
}

// Summarize describes x, whose values must be finite. It returns zeros for an empty
// sample.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		return Summary{}
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	mean, stddev := stat.PopMeanStdDev(sorted, nil)
	n := len(sorted)
	sample := 0.0
	if n > 1 {
		sample = stddev * math.Sqrt(float64(n)/float64(n-1))
	}
	return Summary{
		N: n, Mean: mean, Stddev: stddev, Sample: sample,
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Min:    sorted[0], Max: sorted[n-1],
	}
}
