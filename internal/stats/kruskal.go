package stats

import (
	"cmp"
	"math"
	"slices"
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
	type value struct {
		v  float64
		of int
	}
	var all []value
	for i, x := range samples {
		for _, v := range x {
			all = append(all, value{v, i})
		}
	}
	t := OmnibusTest{DF: max(0, len(samples)-1), N: len(all), P: 1}
	if t.DF == 0 {
		return t
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Compare(a.v, b.v) })
	sums, ties := make([]float64, len(samples)), 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		equal := float64(j - i)
		ties += equal*equal*equal - equal
		for k := i; k < j; k++ {
			sums[all[k].of] += float64(i+j+1) / 2 // the mean of the ranks i+1 to j
		}
		i = j
	}
	n := float64(t.N)
	even := 1 - ties/(n*n*n-n)
	if !(even > 0) { // all values are equal, or there is one
		return t
	}
	for i, s := range sums {
		t.H += s * s / float64(len(samples[i]))
	}
	t.H = max(0, (12/(n*(n+1))*t.H-3*(n+1))/even)
	t.P, t.Effect = chiSquaredTail(t.H, t.DF), t.H/(n-1)
	return t
}

// chiSquaredTail returns the probability that a value with the chi-squared distribution is
// above x, for a whole number of degrees of freedom (Abramowitz and Stegun, 26.4.4 and 26.4.5).
func chiSquaredTail(x float64, df int) float64 {
	p, term := math.Erfc(math.Sqrt(x/2)), math.Sqrt(2*x/math.Pi)*math.Exp(-x/2)
	from := 1
	if df%2 == 0 {
		p, term, from = math.Exp(-x/2), math.Exp(-x/2)*x/2, 2
	}
	for k := from; k+2 <= df; k += 2 {
		p += term
		term *= x / float64(k+2)
	}
	return min(1, p)
}
