package stats

import (
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// RunsNeeded returns the least n for which [MannWhitney] can tell two samples of n values
// apart below a level, once its probability is corrected for a number of tests:
//
//	tests  1   3   6  10  21  28  66
//	n      4   5   5   6   6   7   7   at the level 0.05
func RunsNeeded(tests int, level float64) int {
	n := 1
	for float64(max(1, tests))*SmallestP(n, n) >= level {
		n++
	}
	return n
}

// ShiftInterval returns the interval of the shift from before to after that belongs to
// [MannWhitney] (Hodges and Lehmann, 1963): the shifts that the test does not reject at a
// confidence. Its ends are differences of a value of after and one of before. ok is false
// where the samples are too small for the test to reject any shift: the interval has no
// ends.
func ShiftInterval(before, after []float64, confidence float64) (interval [2]float64, ok bool) {
	return pairwiseInterval(before, after, confidence, func(b, a float64) float64 { return a - b })
}

// PartInterval is [ShiftInterval] of shifts in parts of each value of before. ok is false
// where one of them is 0, too.
func PartInterval(before, after []float64, confidence float64) (interval [2]float64, ok bool) {
	if slices.Contains(before, 0) {
		return interval, false
	}
	return pairwiseInterval(before, after, confidence, func(b, a float64) float64 { return (a - b) / math.Abs(b) })
}

func pairwiseInterval(before, after []float64, confidence float64, change func(b, a float64) float64) (interval [2]float64, ok bool) {
	u := rejected(len(after), len(before), 1-confidence)
	if u < 0 {
		return interval, false
	}
	all := make([]float64, 0, len(before)*len(after))
	for _, b := range before {
		for _, a := range after {
			all = append(all, change(b, a))
		}
	}
	slices.Sort(all)
	return [2]float64{all[u], all[len(all)-1-u]}, true
}

// exactLimit is up to how many values the test is exact.
const exactLimit = 50

// rejected returns the largest U of samples of n and m values, none equal, that
// [MannWhitney] rejects at a level; negative where it rejects none.
func rejected(n, m int, level float64) int {
	if n == 0 || m == 0 {
		return -1
	}
	if n > exactLimit || m > exactLimit {
		pairs := float64(n) * float64(m)
		deviation := math.Sqrt(pairs * float64(n+m+1) / 12)
		edge := pairs/2 + distuv.UnitNormal.Quantile(level/2)*deviation - 0.5 // corrected for continuity
		return int(math.Ceil(edge)) - 1
	}
	d := moremath.UDist{N1: n, N2: m}
	u := -1
	for 2*d.CDF(float64(u+1)) < level {
		u++
	}
	return u
}
