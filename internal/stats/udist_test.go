package stats

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// TestMannWhitneyAsInR holds the probabilities to those of R 4.2. Those without equal
// values are min(1, 2*pwilcox(u, n, m)). Those of few values with equal ones are counted
// over all choices, with ranks of rank(c(a, b)):
//
//	s <- colSums(combn(r, n)); mean(abs(s - mu) >= abs(sum(r[1:n]) - mu) - 1e-9)
//
// The last is wilcox.test(a, b, exact=FALSE, correct=TRUE).
func TestMannWhitneyAsInR(t *testing.T) {
	for _, c := range []struct {
		n, m int
		u, p float64
	}{
		{50, 50, 900, 0.015523945230712353},
		{50, 40, 700, 0.014506200270790814},
		{7, 9, 12, 0.041783216783216788},
		{33, 50, 512, 0.0032792732358547403},
		{50, 33, 33*50 - 512, 0.0032792732358547403}, // the other sample, from the other side
	} {
		sameP(t, c.p, farther(deals(c.n, c.m), c.u))
	}
	for _, c := range []struct {
		a, b []float64
		p    float64
	}{
		{[]float64{1, 1, 2, 5, 5}, []float64{1, 2, 2, 3, 9, 9, 9}, 0.31818181818181818},
		{[]float64{0, 0, 0, 1, 2, 3, 3, 8}, []float64{3, 3, 4, 4, 4, 8, 8}, 0.017715617715617717},
		{twice(1, 30), append(twice(4, 30), 31, 32, 33, 34, 35, 36), 0.07293130498165136},
	} {
		sameP(t, c.p, MannWhitney(c.a, c.b).P)
		sameP(t, c.p, MannWhitney(c.b, c.a).P) // it is two-sided
	}
}

// twice returns the whole numbers from first to last, each twice.
func twice(first, last float64) (values []float64) {
	for v := first; v <= last; v++ {
		values = append(values, v, v)
	}
	return values
}

// TestDeals: all ways together are the C(n+m, n) ways to choose n of n+m ranks, and groups
// of one value make the same ways as no groups, with a way for each whole U alone.
func TestDeals(t *testing.T) {
	for _, c := range []struct {
		n, m int
		ways float64
	}{{1, 1, 2}, {1, 7, 8}, {5, 5, 252}, {6, 3, 84}, {10, 12, 646646}} {
		ways, groups := deals(c.n, c.m), make([]int, c.n+c.m)
		for i := range groups {
			groups[i] = 1
		}
		tied := tiedDeals(c.n, c.m, groups)
		all := 0.0
		for u, w := range ways {
			all += w
			if tied[2*u] != w || 2*u+1 < len(tied) && tied[2*u+1] != 0 {
				t.Errorf("%d and %d: U %d has %v ways, %v as groups of one", c.n, c.m, u, w, tied[2*u])
			}
		}
		assert.Check(t, all == c.ways, "%d and %d: %v ways, want %v", c.n, c.m, all, c.ways)
	}
}

func sameP(t *testing.T, want, got float64) {
	t.Helper()
	assert.Check(t, math.Abs(got-want) <= 1e-10*want, "p is %v, want %v", got, want)
}
