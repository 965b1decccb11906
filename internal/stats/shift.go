package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// RunsNeeded returns the least n for which [MannWhitney] can find a difference between
// two samples of n values at a level, after its probability is corrected for a number
// of tests:
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
// [MannWhitney] (Hodges and Lehmann, 1963). It holds the shifts that the test does not
// reject at a confidence. Each end is the difference of a value of after and a value of
// before. ok is false if the samples are so small that the test rejects no shift; then
// the interval has no ends.
func ShiftInterval(before, after []float64, confidence float64) (interval [2]float64, ok bool) {
	return pairwiseInterval(before, after, confidence, func(b, a float64) float64 { return a - b })
}

// PartInterval is [ShiftInterval] for relative shifts: each difference is divided by
// the absolute value of before. ok is also false if a value of before is 0.
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

// rejected returns the largest U that [MannWhitney] rejects at a level, for samples of
// n and m values that all differ. It is negative if the test rejects none.
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
	ways := deals(n, m)
	u := -1
	for farther(ways, float64(u+1)) < level {
		u++
	}
	return u
}
