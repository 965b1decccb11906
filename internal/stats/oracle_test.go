package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// histogramError is how far a percentile of many values is off, as a part of its size.
const histogramError = 1.0 / ErrorPart

// probabilities are those that reports ask for, and the ends.
var probabilities = []float64{0, 0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1}

// type7 is gonum's quantile of type 4 asked for the place where type 7 lies:
// type 4 puts the k-th of n sorted values at k/n, type 7 at (k-1)/(n-1).
func type7(sorted []float64, p float64) float64 {
	n := float64(len(sorted))
	return stat.Quantile(math.Min(1, (p*(n-1)+1)/n), stat.LinInterp, sorted, nil)
}

// neighbour returns the larger magnitude of the order statistics that a type 7
// quantile lies between.
func neighbour(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	lo, hi := sorted[int(at)], sorted[min(len(sorted)-1, int(at)+1)]
	return math.Max(math.Abs(lo), math.Abs(hi))
}

// near fails unless got lies within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) { // NaN fails
		t.Errorf("%s: %.17g, want %.17g within %g", what, got, want, tolerance)
	}
}

// shapes are distributions of several forms and signs.
var shapes = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"uniform", func(r *rand.Rand) float64 { return r.Float64() }},
	{"round trips", func(r *rand.Rand) float64 { return 40 + 10*r.ExpFloat64() }},
	{"normal about zero", func(r *rand.Rand) float64 { return 100 * r.NormFloat64() }},
	{"negative", func(r *rand.Rand) float64 { return -1 - 5*r.ExpFloat64() }},
	{"over twelve decades", func(r *rand.Rand) float64 { return math.Pow(10, 12*r.Float64()-6) }},
	{"heavy tail, both signs", func(r *rand.Rand) float64 { return math.Tan(math.Pi * (r.Float64() - 0.5)) }},
	{"two heaps far apart", func(r *rand.Rand) float64 { return float64(r.IntN(2))*1e6 + r.Float64() }},
	{"small integers", func(r *rand.Rand) float64 { return float64(r.IntN(7) - 3) }},
	{"mostly zero", func(r *rand.Rand) float64 { return math.Max(0, r.NormFloat64()-1.5) }},
	{"one value", func(*rand.Rand) float64 { return 1448 }},
	{"sparse tail", func(r *rand.Rand) float64 { return 5 + math.Floor(math.Pow(r.Float64(), -0.8)) }},
	{"few far apart", func(r *rand.Rand) float64 { return math.Pow(7, float64(r.IntN(9)*r.IntN(2))) }},
	{"tails on both sides", func(r *rand.Rand) float64 { return math.Copysign(math.Pow(r.Float64(), -3), r.Float64()-0.5) }},
	{"times since the epoch", func(r *rand.Rand) float64 { return 1.7e18 + 1e6*r.Float64() }},
}

// sizes lie below the limit of exactness, at it and beyond, and are no whole
// batches.
var sizes = []int{1, 2, 3, 10, 64, ExactLimit - 1, ExactLimit, ExactLimit + 1, 5000}

// Every shape in every size against gonum.
func TestAgainstGonum(t *testing.T) {
	for _, shape := range shapes {
		for _, n := range sizes {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			v := make([]float64, n)
			var d Dist
			for i := range v {
				v[i] = shape.draw(r)
				d.Add(v[i])
			}
			slices.Sort(v)
			t.Run(shape.name, func(t *testing.T) { compare(t, &d, v) })
		}
	}
}

// compare compares d with sorted values.
func compare(t *testing.T, d *Dist, v []float64) {
	t.Helper()
	n := len(v)
	if d.N() != int64(n) || d.Min() != v[0] || d.Max() != v[n-1] {
		t.Errorf("n %d, min %g, max %g; want %d, %g, %g", d.N(), d.Min(), d.Max(), n, v[0], v[n-1])
	}
	size := math.Max(math.Abs(v[0]), math.Abs(v[n-1]))
	mean, sd := stat.PopMeanStdDev(v, nil)
	near(t, "mean", d.Mean(), mean, 1e-13*size)
	near(t, "stddev", d.Describe().Stddev, sd, 1e-9*sd+1e-15*size)
	for i, q := range d.Quantiles(probabilities...) {
		p := probabilities[i]
		tolerance := 1e-12 * size // exact but for rounding
		if d.sketch != nil {
			tolerance = histogramError * neighbour(v, p) * (1 + 1e-12)
		}
		if p == 0 || p == 1 {
			tolerance = 0 // the extremes are known
		}
		near(t, "quantile", q, type7(v, p), tolerance)
	}
}

// Weights count as copies: a distribution of whole weights is that of the
// values written out.
func TestWeightsAreCopies(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		shape := shapes[int(seed)%len(shapes)]
		n := 1 + r.IntN(80)
		if seed%3 == 0 {
			n = ExactLimit + r.IntN(500) // beyond exactness
		}
		var d Dist
		var all []float64
		for range n {
			v, w := shape.draw(r), 1+r.IntN(5)
			d.AddWeighted(v, float64(w))
			for range w {
				all = append(all, v)
			}
		}
		slices.Sort(all)
		d.repeats += int64(len(all)) - d.N() // a weighted value is one value; compare counts copies
		t.Run(shape.name, func(t *testing.T) { compare(t, &d, all) })
	}
}

// Equal weights of any size give the figures of values without weights.
func TestEqualWeights(t *testing.T) {
	for _, w := range []float64{1e-9, 0.1, 1, 2.5, 1448} {
		r := rand.New(rand.NewPCG(3, 3))
		var d Dist
		v := make([]float64, 500)
		for i := range v {
			v[i] = 40 + 10*r.ExpFloat64()
			d.AddWeighted(v[i], w)
		}
		slices.Sort(v)
		mean, sd := stat.PopMeanStdDev(v, nil)
		near(t, "mean", d.Mean(), mean, 1e-12*mean)
		near(t, "stddev", d.Describe().Stddev, sd, 1e-9*sd)
		for i, q := range d.Quantiles(probabilities...) {
			p := probabilities[i]
			if w <= 1 {
				near(t, "quantile", q, type7(v, p), 1e-9*mean)
				continue
			}
			// A heavier value fills w - 1 of its place: the quantile is the value
			// itself or lies on the way of length 1 to the next.
			at := p * (float64(len(v))*w - 1)
			k := int(at / w)
			want := v[k]
			if over := at - (float64(k+1)*w - 1); over > 0 {
				want += over * (v[min(k+1, len(v)-1)] - v[k])
			}
			near(t, "quantile", q, want, 1e-9*mean)
		}
	}
}

// Any weights: mean and deviation against gonum.
func TestWeightedMoments(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 13))
		shape := shapes[int(seed)%len(shapes)]
		var d Dist
		var v, w []float64
		for range 1 + r.IntN(3000) {
			v, w = append(v, shape.draw(r)), append(w, r.ExpFloat64()*1e4+1e-3)
			d.AddWeighted(v[len(v)-1], w[len(w)-1])
		}
		mean, sd := stat.PopMeanStdDev(v, w)
		if shape.name == "one value" {
			sd = 0 // rounding may make gonum's variance negative
		}
		size := math.Max(math.Abs(d.Min()), math.Abs(d.Max()))
		near(t, shape.name+": mean", d.Mean(), mean, 1e-12*size)
		near(t, shape.name+": stddev", d.Describe().Stddev, sd, 1e-9*sd+1e-15*size)
	}
}
