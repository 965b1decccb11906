package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// odd are values and weights that a batch cannot count among the others.
var odd = []Weighted{
	{math.NaN(), 1},
	{math.Inf(1), 1},
	{math.Inf(-1), 1},
	{1e75, 1},
	{0, 1},
	{math.Copysign(0, -1), 1},
	{5e-324, 1},
	{-5e-324, 1},
	{1e-70, 1},
	{1e70, 1},
	{-1e70, 1},
	{-3, 1},
	{7, 1e-70},
	{7, 0},
	{7, -1},
	{7, math.NaN()},
	{7, math.Inf(1)},
	{7, 1e75},
}

// withOdd returns n values of a shape, among which those of odd are strewn, and
// runs of the same value.
func withOdd(draw func(*rand.Rand) float64, n int, r *rand.Rand) []Weighted {
	list := make([]Weighted, n)
	for i := range list {
		switch r.IntN(20) {
		case 0:
			list[i] = odd[r.IntN(len(odd))]
		case 1, 2, 3:
			list[i] = list[max(0, i-1)]
		default:
			list[i] = Weighted{draw(r), float64(1 + r.IntN(3))}
		}
	}
	return list
}

// weights returns what each step of h weighs, by its middle.
func weights(h *histogram) map[float64]float64 {
	all := map[float64]float64{}
	for _, e := range h.ascending(nil) {
		all[e.Value] += e.Weight
	}
	return all
}

// same fails unless two sketches agree: the sums up to the rounding that comes
// from their order.
func same(t *testing.T, got, want *sketch) {
	t.Helper()
	assert.Check(t, is.DeepEqual(weights(&got.histogram), weights(&want.histogram)), "steps")
	assert.Check(t, got.n == want.n && got.min == want.min && got.max == want.max && got.lightest == want.lightest, "%+v, want %+v", got.moments, want.moments)
	size := max(-want.min, want.max)
	near(t, "weight", got.weight, want.weight, 1e-12*want.weight)
	near(t, "mean", got.mean(), want.mean(), 1e-12*size)
	near(t, "stddev", got.stddev(), want.stddev(), 1e-9*size)
}

// Values that are taken a batch at a time, with weights and without, against
// the same ones one by one.
func TestTake(t *testing.T) {
	for seed := range uint64(5) {
		for _, shape := range shapes {
			t.Run(shape.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 17))
				list := withOdd(shape.draw, 3000, r)
				positiveWeights(list)
				known := []Weighted{{shape.draw(r), 1}, {shape.draw(r), 2}}
				fresh := func() *sketch { return sketchOf(slices.Clone(known)) }
				plain, pairs, onePlain, onePairs := fresh(), fresh(), fresh(), fresh()
				for i, waits := 0, 0; i < len(list); i += waits {
					waits = min(1+r.IntN(BatchSize), len(list)-i)
					pairs.takeWeighted(slices.Clone(list[i : i+waits]))
					plain.take(values(list[i : i+waits]))
					for _, e := range list[i : i+waits] {
						onePlain.add(e.Value, 1)
						onePairs.add(e.Value, e.Weight)
					}
				}
				same(t, plain, onePlain)
				same(t, pairs, onePairs)
			})
		}
	}
}

// Of a batch the values between the extremes in one run are counted together;
// just the others are left.
func TestTakeLeaves(t *testing.T) {
	known := []Weighted{{1, 2}, {1000, 3}}
	small := []Weighted{{1, 2}, {2, 5}, {500, 4}, {1000, 2}}
	beyond := []Weighted{{-4, 2}, {1001, 2}, {0.5, 2}, {0, 2}, {math.NaN(), 2}}

	s := sketchOf(slices.Clone(known))
	got := s.runs[0].take(values(slices.Concat(small, beyond)), &s.moments)
	if diff := cmp.Diff(values(beyond), got, cmpopts.EquateNaNs()); diff != "" || s.n != 2+4 {
		t.Errorf("%d values counted; left (-want, +got):\n%s", s.n-2, diff)
	}
	s = sketchOf(slices.Clone(known))
	left := s.runs[0].takeWeighted(slices.Concat(small, beyond), &s.moments)
	if diff := cmp.Diff(beyond, left, cmpopts.EquateNaNs(), cmp.AllowUnexported(Weighted{})); diff != "" || s.n != 2+4 {
		t.Errorf("%d weighted values counted; left (-want, +got):\n%s", s.n-2, diff)
	}
}

// positiveWeights replaces weights that only [Dist.AddWeighted] cares for.
func positiveWeights(list []Weighted) {
	for i := range list {
		if w := &list[i].Weight; !(*w >= 1 && *w < largest) {
			*w = 1
		}
	}
}

func values(list []Weighted) (v []float64) {
	for _, e := range list {
		v = append(v, e.Value)
	}
	return v
}

// A sketch of many values at once is that of the values one by one.
func TestSketchOf(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			list := make([]Weighted, 1500)
			for i := range list {
				list[i] = Weighted{shape.draw(r), 0.5 + r.Float64()}
			}
			want := sketchOf(slices.Clone(list[:1]))
			for _, e := range list[1:] {
				want.add(e.Value, e.Weight)
			}
			same(t, sketchOf(list), want)
		})
	}
}
