package stats

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		name         string
		a, b         []float64
		u, p, effect float64
	}{
		// All 25 pairs are won by a; of the C(10,5) = 252 deals 2 are so uneven.
		{"apart", []float64{6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5}, 25, 2.0 / 252, 1},
		{"apart, turned round", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0, 2.0 / 252, -1},
		// The race of Aesop's tortoise: ranks of the tortoises 1 7 8 9 10 11, of the
		// hares 2 3 4 5 6 12. Smaller is faster, so U of the tortoises as the pairs in
		// which theirs is larger: 0+5+5+5+5+5 = 25. 286 of the C(12,6) = 924 deals are as uneven.
		{"tortoises and hares", []float64{1, 7, 8, 9, 10, 11}, []float64{2, 3, 4, 5, 6, 12}, 25, 286.0 / 924, 2*25.0/36 - 1},
		// {1,2} against {2,3}: pairs 1<2 1<3 2=2 2<3 give U = 0.5. The 6 deals of
		// {1,2,2,3} have U 0.5 0.5 2 2 3.5 3.5: 4 of 6 are as uneven.
		{"equal values across", []float64{1, 2}, []float64{2, 3}, 0.5, 4.0 / 6, 2*0.5/4 - 1},
		{"all equal", []float64{3, 3}, []float64{3, 3, 3}, 3, 1, 0},
		{"nothing to compare", nil, []float64{1}, 0, 1, 0},
	} {
		got := MannWhitney(c.a, c.b)
		within(t, c.name+": U", got.U, c.u)
		within(t, c.name+": effect", got.Effect, c.effect)
		assert.Check(t, math.Abs(got.P-c.p) <= 1e-9, "%s: p is %v, want %v", c.name, got.P, c.p)
	}
}

func TestSmallestP(t *testing.T) {
	within(t, "5 and 5", SmallestP(5, 5), 2.0/252) // C(10,5)
	within(t, "3 and 4", SmallestP(3, 4), 2.0/35)  // C(7,3)
	within(t, "1 and 1", SmallestP(1, 1), 1)
	apart := MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6, 7})
	within(t, "the test's own", apart.P, SmallestP(3, 4))
}

func TestHolm(t *testing.T) {
	// Sorted 0.005 0.01 0.03 0.04 times 4 3 2 1: 0.02 0.03 0.06 0.04; none may be
	// smaller than the one before it.
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		within(t, "corrected", got[i], want)
	}
	if got := Holm([]float64{0.6, 0.9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("beyond certainty: %v", got)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
