package stats

import (
	"cmp"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
)

// RankTest is the outcome of comparing two samples by the ranks of their
// values.
type RankTest struct {
	U      float64 // of the first sample: pairs in which its value is the larger, equal ones half
	P      float64 // probability of so uneven a U, either way, if both samples came from one population
	Effect float64 // Cliff's delta, -1 to 1: positive where the first sample's values are larger
}

// MannWhitney compares two samples (Mann and Whitney, 1947; two-sided). The
// probability is exact up to 50 values a sample, 25 where values are equal, and
// that of the normal distribution with corrections for ties and continuity
// beyond. Without values on both sides, or where all are equal, it is 1.
func MannWhitney(a, b []float64) RankTest {
	if len(a) == 0 || len(b) == 0 {
		return RankTest{P: 1}
	}
	pairs := float64(len(a) * len(b))
	r, err := moremath.MannWhitneyUTest(a, b, moremath.LocationDiffers)
	if err != nil { // every value is equal
		return RankTest{U: pairs / 2, P: 1}
	}
	return RankTest{U: r.U, P: min(1, r.P), Effect: 2*r.U/pairs - 1}
}

// SmallestP returns the smallest probability that [MannWhitney] can give for samples of
// n and m values: that of 2 out of all ways to deal n+m ranks to them.
func SmallestP(n, m int) float64 {
	ways := 1.0
	for i := 1; i <= m; i++ {
		ways *= float64(n+i) / float64(i)
	}
	return min(1, 2/ways)
}

// Holm corrects the probabilities of several tests for their number (Holm, 1979), so
// that the chance of any false alarm among them stays below the level that each is
// compared with. The order is kept.
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
