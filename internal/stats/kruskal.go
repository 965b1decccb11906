package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// OmnibusTest is the outcome of comparing several samples at once by the ranks of their
// values.
type OmnibusTest struct {
	H      float64 // the statistic, corrected for equal values
	DF     int     // degrees of freedom: number of samples less 1
	N      int     // number of values in all samples
	P      float64 // probability of an H at least as large if all samples come from one population
	Effect float64 // epsilon squared, H / (N - 1): 0 where ranks are even, 1 where the samples explain all of them
}

// KruskalWallis compares samples (Kruskal and Wallis, 1952), none of which is empty. The
// probability is that of the chi-squared distribution, as in R. It is 1 for fewer than two
// samples and if all values are equal.
func KruskalWallis(samples ...[]float64) OmnibusTest {
	all := slices.Sorted(slices.Values(slices.Concat(samples...)))
	t := OmnibusTest{DF: max(0, len(samples)-1), N: len(all), P: 1}
	if t.DF == 0 {
		return t
	}
	n := float64(t.N)
	even := 1 - tied(ties(all))/(n*n*n-n)
	if !(even > 0) { // all values are equal, or there is one
		return t
	}
	for _, x := range samples {
		sum := 0.0
		for _, v := range x {
			less, _ := slices.BinarySearch(all, v)
			sum += float64(less) + float64(equal(all[less:], v)+1)/2 // the mean of the ranks of equal values
		}
		t.H += sum * sum / float64(len(x))
	}
	t.H = max(0, (12/(n*(n+1))*t.H-3*(n+1))/even)
	t.P, t.Effect = distuv.ChiSquared{K: float64(t.DF)}.Survival(t.H), t.H/(n-1)
	return t
}
