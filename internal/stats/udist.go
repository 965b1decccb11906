package stats

import (
	"math"
	"slices"
)

// The limits of the exact distribution of U: the largest number of values in a sample, where
// all values differ and where some are equal. The latter takes more work.
const (
	exactLimit     = 50
	exactTiedLimit = 25
)

// deals returns how many of the ways to deal the ranks 1 to n+m to samples of n and m
// values give each U of the first sample. They are the coefficients of Gauss's binomial,
// the product of (1-x^(m+i)) / (1-x^i) for i of 1 to n. Those of the upper half mirror
// those of the lower one, where each step adds numbers of the same size.
func deals(n, m int) []float64 {
	most := n * m
	ways := make([]float64, most+1)
	ways[0] = 1
	half := most / 2
	for i := 1; i <= n; i++ {
		for u := half; u >= m+i; u-- {
			ways[u] -= ways[u-m-i]
		}
		for u := i; u <= half; u++ {
			ways[u] += ways[u-i]
		}
	}
	for u := half + 1; u <= most; u++ {
		ways[u] = ways[most-u]
	}
	return ways
}

// tiedDeals returns the same for each 2U, where groups of values are equal: ties has the
// sizes of the groups in ascending order of their values. The values of a group share the
// mean of its ranks, so U has steps of a half.
func tiedDeals(n, m int, ties []int) []float64 {
	least := n * (n + 1)           // the least doubled sum of n ranks
	most := least + 2*n*m          // the largest one
	ways := make([][]float64, 1+n) // by number of values dealt, then by doubled sum of their ranks
	for k := range ways {
		ways[k] = make([]float64, 1+most)
	}
	ways[0][0] = 1
	before := 0
	for _, size := range ties {
		doubled := 2*before + size + 1
		for k := n; k >= 1; k-- { // downwards, so that each group is dealt once
			for j, choices := 1, 1.0; j <= min(k, size); j++ {
				choices *= float64(size-j+1) / float64(j)
				for sum := j * doubled; sum <= most; sum++ {
					ways[k][sum] += choices * ways[k-j][sum-j*doubled]
				}
			}
		}
		before += size
	}
	return ways[n][least:]
}

// farther returns the part of the ways whose index is at least as far from the middle as
// that of at, to either side. An index is U or 2U, and the middle is its mean.
func farther(ways []float64, at float64) float64 {
	middle := float64(len(ways)-1) / 2
	all, far := 0.0, 0.0
	for u, w := range ways {
		all += w
		if math.Abs(float64(u)-middle) >= math.Abs(at-middle) {
			far += w
		}
	}
	return far / all
}

// normalP returns the probability of a U at least so far from its mean, from the normal
// distribution, corrected for ties and for continuity.
func normalP(u float64, n, m int, ties []int) float64 {
	all, pairs := float64(n+m), float64(n*m)
	deviation := math.Sqrt(pairs / 12 * (all + 1 - tied(ties)/(all*(all-1))))
	return math.Erfc(max(0, math.Abs(u-pairs/2)-0.5) / deviation / math.Sqrt2)
}

// rankSum returns the U of a against b, and the sizes of the groups of equal values in
// ascending order of their values.
func rankSum(a, b []float64) (u float64, sizes []int) {
	b = slices.Sorted(slices.Values(b))
	for _, v := range a {
		less, _ := slices.BinarySearch(b, v)
		u += float64(less) + float64(equal(b[less:], v))/2
	}
	return u, ties(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// ties returns how often each of ascending values occurs.
func ties(ascending []float64) (sizes []int) {
	for len(ascending) > 0 {
		size := equal(ascending, ascending[0])
		sizes, ascending = append(sizes, size), ascending[size:]
	}
	return sizes
}

// tied returns the sum of t^3 - t over the sizes t of ties, by which equal values make the ranks
// vary less.
func tied(ties []int) (sum float64) {
	for _, size := range ties {
		t := float64(size)
		sum += t*t*t - t
	}
	return sum
}

// equal returns how many values at the head of ascending ones are equal to v.
func equal(ascending []float64, v float64) int {
	n := 0
	for n < len(ascending) && ascending[n] == v {
		n++
	}
	return n
}
