package stats

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// TestTally compares a tally with a distribution of the same numbers, small and large, and of
// numbers that come more often than a distribution keeps.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to int64
		n        int
	}{
		{"none", 0, 1, 0},
		{"one", 7, 8, 1},
		{"small", 0, 40, 500},
		{"around the limit", TallyLimit - 20, TallyLimit + 20, 500},
		{"below zero", -5, 5, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(c.n)))
			var got Tally
			var want Dist
			for range 2 { // the second time in the memory of the first
				got.Reset()
				want.Reset()
				for i := range c.n {
					v, w := c.from+r.Int64N(c.to-c.from), float64(1+r.IntN(9))
					switch i % 3 {
					case 0:
						got.Add(v)
						want.Add(float64(v))
					case 1:
						got.AddWeighted(v, w)
						want.AddWeighted(float64(v), w)
					default:
						got.AddRepeated(v, int64(w))
						want.AddRepeated(float64(v), int64(w))
					}
				}
			}
			a, b := got.Dist().Describe(), want.Describe()
			for _, f := range [][2]float64{{a.Mean, b.Mean}, {a.Stddev, b.Stddev}, {a.Min, b.Min}, {a.Max, b.Max}, {a.P50, b.P50}, {a.P95, b.P95}, {a.P99, b.P99}} {
				assert.Assert(t, math.Abs(f[0]-f[1]) <= 1e-9*(1+math.Abs(f[1])), "%+v, want %+v", a, b)
			}
			if a.N != b.N || got.Dist().N() != b.N {
				t.Errorf("%d values, then %d, want %d", a.N, got.Dist().N(), b.N)
			}
		})
	}
}

// TestTallyExact: however often small numbers come, their percentiles are exact. The
// numbers 0 to 999 come 100 times each: p50 lies between the 50,000th and 50,001st of
// 100,000 values, 499 and 500, at 0.5 x 99,999 = 49,999.5; p99 is at 98,999.01.
func TestTallyExact(t *testing.T) {
	var x Tally
	for range 100 {
		for v := range int64(1000) {
			x.Add(v)
		}
	}
	if got := x.Dist().Describe(); got.P50 != 499.5 || got.N != 100_000 || math.Abs(got.P99-989.01) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if n := testing.AllocsPerRun(100, func() { x.Reset(); x.Add(3); x.Reset() }); n > 1 {
		t.Errorf("%v allocations for a number", n)
	}
}

// TestSoFar: values up to now, with weight 1 or 1/2, however they are kept.
func TestSoFar(t *testing.T) {
	for _, n := range []int{0, 1, 10, ExactLimit, ExactLimit + BatchSize + 5, 5000} {
		var d Dist
		sum, weight := 0.0, 0.0
		for i := range n {
			w := 1 / float64(1+i%2)
			d.AddWeighted(float64(n+3-i), w)
			sum, weight = sum+w*float64(n+3-i), weight+w
			mean, least, count := d.SoFar()
			within(t, "mean so far", mean, sum/weight)
			assert.Assert(t, least == float64(n+3-i) && count == int64(i+1), "value %d of %d: least %g, %d values", i, n, least, count)
		}
		within(t, "weight", d.Weight(), weight)
		if mean, _, count := d.SoFar(); n == 0 && (mean != 0 || count != 0) {
			t.Errorf("nothing has a mean of %g", mean)
		}
	}
}

// TestNumbers: what came below the limit, and how often.
func TestNumbers(t *testing.T) {
	var x Tally
	for _, v := range []int64{TallyLimit, 0, TallyLimit - 1, 3, 3} {
		x.AddRepeated(v, 2)
	}
	got := maps.Collect(x.Numbers())
	if want := map[int64]int64{0: 2, 3: 4, TallyLimit - 1: 2}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
