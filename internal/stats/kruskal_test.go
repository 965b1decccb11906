package stats

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// TestKruskalWallis: the values of kruskal.test of R 4, and of its examples: Hollander and Wolfe
// (1973, page 116), and the counts of InsectSprays, which have equal values.
func TestKruskalWallis(t *testing.T) {
	for _, c := range []struct {
		name         string
		samples      [][]float64
		h            float64
		df           int
		p, epsilonSq float64
	}{
		{
			"Hollander and Wolfe",
			[][]float64{{2.9, 3.0, 2.5, 2.6, 3.2}, {3.8, 2.7, 4.0, 2.4}, {2.8, 3.4, 3.7, 2.2, 2.0}},
			0.771428571428572, 2, 0.679964773578894, 0.0593406593406594,
		},
		{
			"InsectSprays",
			[][]float64{
				{10, 7, 20, 14, 14, 12, 10, 23, 17, 20, 14, 13},
				{11, 17, 21, 11, 16, 14, 17, 17, 19, 21, 7, 13},
				{0, 1, 7, 2, 3, 1, 2, 1, 3, 0, 1, 4},
				{3, 5, 12, 6, 4, 3, 5, 5, 5, 5, 2, 4},
				{3, 5, 3, 5, 3, 6, 1, 1, 3, 2, 6, 4},
				{11, 9, 15, 22, 15, 16, 13, 10, 26, 26, 24, 13},
			},
			54.6913446223714, 5, 1.51084443941851e-10, 0.770300628484105,
		},
		{
			"four of five, apart",
			[][]float64{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}, {16, 17, 18, 19, 20}},
			17.8571428571429, 3, 0.000470718952999329, 0.939849624060151,
		},
		{"all equal", [][]float64{{3, 3}, {3}, {3, 3}}, 0, 2, 1, 0},
		{"one sample", [][]float64{{3, 4}}, 0, 0, 1, 0},
	} {
		got := KruskalWallis(c.samples...)
		within(t, c.name+": H", got.H, c.h)
		within(t, c.name+": effect", got.Effect, c.epsilonSq)
		assert.Check(t, math.Abs(got.P-c.p) <= 1e-9*c.p && got.DF == c.df, "%s: p is %v with %d degrees of freedom, want %v with %d", c.name, got.P, got.DF, c.p, c.df)
	}
}
