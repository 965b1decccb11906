package stats

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// figures are all that a distribution tells.
type figures struct {
	N                       int64
	Mean, Stddev, Min, Max  float64
	P0, P25, P50, P75, P100 float64
}

func (d *Dist) figures() figures {
	q := d.Quantiles(0, 0.25, 0.5, 0.75, 1)
	return figures{d.N(), d.Mean(), d.Describe().Stddev, d.Min(), d.Max(), q[0], q[1], q[2], q[3], q[4]}
}

func TestDist(t *testing.T) {
	type add struct{ v, w float64 }
	root2 := math.Sqrt2
	tests := []struct {
		name string
		adds []add
		want figures
	}{
		{"empty", nil, figures{}},
		{"one value", []add{{7, 1}}, figures{1, 7, 0, 7, 7, 7, 7, 7, 7, 7}},
		{"one value of great weight", []add{{7, 1e6}}, figures{1, 7, 0, 7, 7, 7, 7, 7, 7, 7}},
		// mean 3, squared deviations 4 1 0 1 4: variance 2.
		{"one to five", []add{{3, 1}, {1, 1}, {5, 1}, {2, 1}, {4, 1}}, figures{5, 3, root2, 1, 5, 1, 2, 3, 4, 5}},
		// p of 3: 0.25 * 3 = 0.75 of the way from -1 to 1, and so on.
		{"four, between them", []add{{-1, 1}, {1, 1}, {3, 1}, {5, 1}}, figures{4, 2, math.Sqrt(5), -1, 5, -1, 0.5, 2, 3.5, 5}},
		// 0 0 0 8: mean 2, variance (3 * 4 + 36) / 4 = 12; p75 at 2.25 of 3: a quarter of the way from 0 to 8.
		{"a weight of three", []add{{8, 1}, {0, 3}}, figures{2, 2, math.Sqrt(12), 0, 8, 0, 0, 0, 2, 8}},
		{"weights below one: 0.5 each are two values", []add{{0, 0.5}, {8, 0.5}}, figures{2, 4, 4, 0, 8, 0, 2, 4, 6, 8}},
		{"weights and values that count for nothing", []add{
			{7, 0}, {7, -1}, {7, math.NaN()}, {7, math.Inf(1)}, {math.NaN(), 1}, {math.Inf(1), 1}, {math.Inf(-1), 1}, {1e75, 1}, {7, 1e75}, {7, 1e-80},
		}, figures{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d Dist
			for _, a := range tt.adds {
				d.AddWeighted(a.v, a.w)
			}
			assert.Check(t, is.DeepEqual(d.figures(), tt.want))
		})
	}
}

// n times a value is a value n times, before and beyond exactness.
func TestAddRepeated(t *testing.T) {
	for _, before := range []int{0, 10, ExactLimit, 3000} {
		for _, n := range []int64{1, 2, 16, 17, 1000, 100_000} {
			r := rand.New(rand.NewPCG(5, 5))
			var once, often Dist
			for range before {
				v := r.Float64()
				once.Add(v)
				often.Add(v)
			}
			once.AddRepeated(0.5, n)
			for range n {
				often.Add(0.5)
			}
			same := cmpopts.EquateApprox(1e-11, 0) // one value added up very often is rounded the same way each time
			assert.Check(t, is.DeepEqual(once.figures(), often.figures(), same), "%d values, one %d times (-each, +at once)", before, n)
		}
	}
	t.Run("of nothing", func(t *testing.T) {
		var d Dist
		d.AddRepeated(5, 0)
		d.AddRepeated(5, -3)
		d.AddRepeated(math.NaN(), 10)
		d.AddRepeated(math.Inf(1), 10)
		if n := d.N(); n != 0 {
			t.Errorf("%d values", n)
		}
	})
}

// A small variance of large values, and first values that are far from the rest and weigh
// nothing or next to nothing.
func TestStability(t *testing.T) {
	grid := math.Sqrt((1024*1024-1)/12.0) / 1024 // n equally spaced values have variance (n^2 - 1) / 12 steps
	// Of two values D apart with weights a and b: stddev D sqrt(ab) / (a + b).
	const a, b, apart = 1e-3, 1e11, 1e6
	queue := apart * math.Sqrt(a*b) / (a + b)
	for _, c := range []struct {
		name             string
		fill             func(d *Dist)
		mean, stddev     float64
		mostMean, mostSD float64 // how far they may be off
	}{
		{"1e9 and a grid of 1/1024", func(d *Dist) {
			for i := range 100 * 1024 {
				d.Add(1e9 + float64(i%1024)/1024)
			}
		}, 1e9 + 1023.0/2048, grid, 1e-6, 1e-9 * grid},
		{"nanoseconds since the epoch, one millisecond apart", func(d *Dist) {
			for i := range 10_000 {
				d.Add(1.7e18 + float64(i%2)*(1<<20)) // 2^20 ns; a float64 there holds multiples of 256
			}
		}, 1.7e18 + 1<<19, 1 << 19, 256, 1e-6 * (1 << 19)},
		{"a queue that was empty for a thousandth of a nanosecond", func(d *Dist) {
			d.AddWeighted(0, a)
			for i := range 2000 { // beyond exactness
				d.AddWeighted(apart, b/2000)
				if i%2 == 0 {
					d.AddWeighted(apart*(1+1e-15), 1e-60) // keeps the next from being a repetition
				}
			}
		}, apart, queue, 1e-6, 1e-6 * queue},
		{"far from the rest and first", func(d *Dist) {
			d.AddWeighted(-1e12, 1e-40)
			for i := range 5000 {
				d.Add(float64(i % 2))
			}
		}, 0.5, 0.5, 1e-12, 1e-12},
		{"far from the rest of its batch", func(d *Dist) {
			d.AddWeighted(1e20, 1e-60) // at 1e20 a float64 holds multiples of 16384
			for i := range 40 {
				d.Add(0.1 + float64(i%2))
			}
		}, 0.6, 0.5, 1e-12, 1e-6},
		{"1100 values of next to no weight, and then a grid far away from them", func(d *Dist) {
			for i := range 1100 {
				d.AddWeighted(float64(i%2), 1e-30)
			}
			for i := range 1 << 16 {
				d.Add(1e5 + float64(i%1024)/1024)
			}
		}, 1e5 + 1023.0/2048, grid, 1e-9, 1e-6},
	} {
		var d Dist
		c.fill(&d)
		near(t, c.name+": mean", d.Mean(), c.mean, c.mostMean)
		near(t, c.name+": stddev", d.Describe().Stddev, c.stddev, c.mostSD)
	}
}

func TestMoments(t *testing.T) {
	m := momentsOf([]Weighted{{1, 1}, {3, 1}})
	m.add(8, 0.5)
	// mean (1 + 3 + 4) / 2.5 = 3.2; squares 2.2^2 + 0.2^2 + 0.5 * 4.8^2 = 16.4.
	assert.Check(t, m.n == 3 && m.weight == 2.5 && m.min == 1 && m.max == 8 && m.lightest == 0.5, "%+v", m)
	near(t, "mean", m.mean(), 3.2, 1e-15)
	near(t, "stddev", m.stddev(), math.Sqrt(16.4/2.5), 1e-14)
}

func TestProbabilitiesOutsideTheUnit(t *testing.T) {
	for _, n := range []int{10, 2000} {
		var d Dist
		for i := range n {
			d.Add(float64(i))
		}
		q := d.Quantiles(2, -1, 0.5)
		if q[0] != float64(n-1) || q[1] != 0 {
			t.Errorf("%d values: quantiles at 2 and -1 are %v, want the extremes", n, q[:2])
		}
		near(t, "unsorted probabilities", q[2], float64(n-1)/2, histogramError*float64(n))
	}
}

// FuzzDist gives a distribution any values and weights at all.
func FuzzDist(f *testing.F) {
	seed := func(v ...float64) (b []byte) {
		for _, x := range v {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	f.Add(seed(), uint16(1))
	f.Add(seed(1, 1, 2, 3, -5, 0.5), uint16(400))
	f.Add(seed(9.9e74, 9.9e74, -9.9e74, 9.9e74, 0, 1.1e-75, 5e-324, 1), uint16(700))
	f.Add(seed(math.Inf(1), 1, math.NaN(), 1, 1, math.Inf(1), 1, math.NaN(), 1, -1), uint16(2))
	f.Fuzz(func(t *testing.T, in []byte, rounds uint16) {
		var d Dist
		for range rounds%2048 + 1 {
			for b := in; len(b) >= 16; b = b[16:] {
				d.AddWeighted(math.Float64frombits(binary.BigEndian.Uint64(b)), math.Float64frombits(binary.BigEndian.Uint64(b[8:])))
				if rounds%2 == 1 {
					d.Add(math.Float64frombits(binary.BigEndian.Uint64(b[8:])))
				}
			}
			if len(in) > 512 {
				break
			}
		}
		g := d.figures()
		all := []float64{g.Mean, g.Stddev, g.Min, g.Max, g.P0, g.P25, g.P50, g.P75, g.P100}
		for _, v := range all {
			assert.Assert(t, v-v == 0, "not finite: %+v", g)
		}
		if !slices.IsSorted([]float64{g.Min, g.P0, g.P25, g.P50, g.P75, g.P100, g.Max}) {
			t.Fatalf("quantiles do not ascend: %+v", g)
		}
		slack := 1e-9*math.Max(math.Abs(g.Min), math.Abs(g.Max)) + 1e-100 // the squares of smaller values vanish
		if g.Mean < g.Min-slack || g.Mean > g.Max+slack || g.Stddev < 0 || g.Stddev > (g.Max-g.Min)/2+slack {
			t.Fatalf("mean or deviation outside the values: %+v", g)
		}
	})
}

// TestMap: a map changes every value and neither the weights nor the number. Of a
// distribution that does not keep its values it changes nothing.
func TestMap(t *testing.T) {
	var d, want Dist
	for i := range ExactLimit - 1 {
		v := float64(i*i%71) / 8
		d.AddRepeated(v, int64(1+i%3))
		want.AddRepeated(v-3, int64(1+i%3))
	}
	down := func(v float64) float64 { return v - 3 }
	if !d.Map(down) || d.Describe() != want.Describe() {
		t.Errorf("%+v, want %+v", d.Describe(), want.Describe())
	}
	for i := range 100 {
		d.Add(float64(100 + i))
	}
	was := d.Describe()
	if d.Exact() || d.Map(down) || d.Describe() != was {
		t.Errorf("%+v, want %+v", d.Describe(), was)
	}
}
