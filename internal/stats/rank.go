package stats

import (
	"cmp"
	"slices"
)

// RankTest is the outcome of comparing two samples by the ranks of their
// values.
type RankTest struct {
	U      float64 // of the first sample: number of pairs in which its value is larger; a pair of equal values counts as half
	P      float64 // probability of a U at least so far from its mean, to either side, if both samples come from one population
	Effect float64 // Cliff's delta, -1 to 1: positive where the first sample's values are larger
}

// MannWhitney compares two samples (Mann and Whitney, 1947; two-sided). The probability
// is exact for samples of up to 50 values, or up to 25 if values are equal. For larger
// samples it is that of the normal distribution, corrected for ties and continuity. It
// is 1 if a sample is empty or all values are equal.
func MannWhitney(a, b []float64) RankTest {
	if len(a) == 0 || len(b) == 0 {
		return RankTest{P: 1}
	}
	n, m := len(a), len(b)
	u, ties := rankSum(a, b)
	t := RankTest{U: u, P: 1, Effect: 2*u/float64(n*m) - 1}
	different := len(ties) == n+m
	switch most := max(n, m); {
	case len(ties) == 1: // every value is equal
	case different && most <= exactLimit:
		t.P = farther(deals(n, m), u)
	case !different && most <= exactTiedLimit:
		t.P = farther(tiedDeals(n, m, ties), 2*u)
	default:
		t.P = normalP(u, n, m, ties)
	}
	return t
}

// SmallestP returns the smallest probability that [MannWhitney] can return for samples
// of n and m values. It is 2 divided by the number of ways to distribute n+m ranks to
// the samples.
func SmallestP(n, m int) float64 {
	ways := 1.0
	for i := 1; i <= m; i++ {
		ways *= float64(n+i) / float64(i)
	}
	return min(1, 2/ways)
}

// Holm corrects the probabilities of several tests for their number (Holm, 1979). If
// each result is compared with a level, the probability of at least one false alarm
// stays below that level. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, worst := make([]float64, len(p)), 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		out[i] = worst
	}
	return out
}
