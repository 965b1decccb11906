package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRunsNeeded: the smallest p of n against n values is 2/C(2n,n).
func TestRunsNeeded(t *testing.T) {
	for n, orders := range map[int]float64{2: 6, 3: 20, 4: 70, 5: 252, 6: 924, 7: 3432} {
		within(t, "smallest p", SmallestP(n, n), 2/orders)
	}
	within(t, "3 against 3", SmallestP(3, 3), 0.1)
	for _, c := range []struct{ tests, n int }{
		{1, 4},  // 2/70 = 0.029; 2/20 = 0.1
		{2, 5},  // 2*2/70 = 0.057; 2*2/252 = 0.016
		{3, 5},  // of 3 scenarios 3 pairs: 3*2/252 = 0.024
		{6, 5},  // of 4: 6*2/252 = 0.048
		{10, 6}, // of 5: 10*2/252 = 0.079; 10*2/924 = 0.022
		{21, 6}, // of 7: 21*2/924 = 0.045
		{28, 7}, // of 8: 28*2/924 = 0.061; 28*2/3432 = 0.016
		{66, 7}, // of 12: 66*2/3432 = 0.038
		{23, 6}, // 23*2/924 = 0.0498
		{24, 7}, // 24*2/924 = 0.052
		{0, 4},
	} {
		if got := RunsNeeded(c.tests, 0.05); got != c.n {
			t.Errorf("%d tests need %d runs, want %d", c.tests, got, c.n)
		}
	}
	if got := RunsNeeded(1, SmallestP(3, 3)); got != 4 { // a probability has to be below the level
		t.Errorf("at the level of the smallest p of 3 against 3: %d runs, want 4", got)
	}
}

func TestShiftInterval(t *testing.T) {
	// 3 against 3: no value of U has a probability below 0.05, so that no shift is denied.
	if _, ok := ShiftInterval([]float64{1, 2, 3}, []float64{101, 102, 103}, 0.95); ok {
		t.Error("an interval of 3 against 3 values")
	}
	// 4 against 4: P(U <= 0) = 1/70, twice that 0.029; P(U <= 1) = 2/70, twice that 0.057.
	// Only U = 0 is rejected, that is a shift that no difference exceeds, or none falls
	// short of: the ends are the least and the largest of the 16 differences, 101-4 and 104-1.
	got, ok := ShiftInterval([]float64{1, 2, 3, 4}, []float64{101, 102, 103, 104}, 0.95)
	if want := [2]float64{97, 103}; !ok || got != want {
		t.Errorf("4 against 4: %v, %v, want %v", got, ok, want)
	}
	// 5 against 5: of the 252 deals 1 1 2 3 have U = 0 1 2 3: twice 4/252 = 0.032 and
	// twice 7/252 = 0.056. U to 2 is rejected: the third of the 25 differences
	// 2-4 2-3 2-3 2-2 ..., and the third from above.
	got, ok = ShiftInterval([]float64{8, 9, 10, 11, 12}, []float64{10, 11, 12, 13, 14}, 0.95)
	if want := [2]float64{-1, 5}; !ok || got != want {
		t.Errorf("5 against 5: %v, %v, want %v", got, ok, want)
	}
	// 150 is a half more than 100, and -15 a quarter of 20 more than -20.
	if got, ok = PartInterval([]float64{100, 100, 100, 100}, []float64{150, 150, 150, 150}, 0.95); !ok || got != [2]float64{0.5, 0.5} {
		t.Errorf("a half more: %v, %v", got, ok)
	}
	if got, ok = PartInterval([]float64{-20, -20, -20, -20}, []float64{-15, -15, -15, -15}, 0.95); !ok || got != [2]float64{0.25, 0.25} {
		t.Errorf("a quarter more: %v, %v", got, ok)
	}
	if _, ok = PartInterval([]float64{0, 1, 2, 3}, []float64{1, 1, 1, 1}, 0.95); ok {
		t.Error("a part of nothing")
	}
}

// TestShiftIntervalIsTheTests: the test rejects the shifts outside the interval and no
// other, of samples without equal differences.
func TestShiftIntervalIsTheTests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{4, 4}, {5, 8}, {12, 7}, {60, 30}} {
		before, after := make([]float64, size[0]), make([]float64, size[1])
		for i := range before {
			before[i] = r.NormFloat64()
		}
		for i := range after {
			after[i] = 1 + r.NormFloat64()
		}
		interval, ok := ShiftInterval(before, after, 0.95)
		assert.Assert(t, ok, "%v: no interval", size)
		for _, c := range []struct {
			shift    float64
			rejected bool
		}{{interval[0] - 1e-9, true}, {interval[0] + 1e-9, false}, {interval[1] - 1e-9, false}, {interval[1] + 1e-9, true}} {
			moved := make([]float64, len(before))
			for i, v := range before {
				moved[i] = v + c.shift
			}
			if p := MannWhitney(after, moved).P; (p < 0.05) != c.rejected || math.IsNaN(p) {
				t.Errorf("%v: a shift of %v within %v has p %v", size, c.shift, interval, p)
			}
		}
	}
}
