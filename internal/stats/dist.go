package stats

import (
	"cmp"
	"math"
	"slices"
)

// ExactLimit is the number of values up to which a [Dist] keeps every one of
// them, so that its percentiles are exact. Beyond it they come from a
// [Histogram], whose error is [HistogramError].
const ExactLimit = 1024

// Dist is the distribution of a stream of weighted values. The zero value is
// empty and ready to use. Values that are not finite are ignored.
//
// It grows to 16 kB while it is exact, and then to a few kB for each octave
// that the values span.
type Dist struct {
	n        int64
	weight   float64
	origin   float64 // the first value: sums are taken relative to it, so that close values do not cancel
	sum, sq  float64 // of weight * (value - origin), and of its square
	min, max float64
	exact    []weighted
	hist     *Histogram
}

type weighted struct{ value, weight float64 }

// Add takes a value of weight 1.
func (d *Dist) Add(v float64) { d.AddWeighted(v, 1) }

// AddWeighted takes a value of weight w; one of weight 0 or less, or that is
// not finite, is ignored.
func (d *Dist) AddWeighted(v, w float64) {
	if !(w > 0) || v-v != 0 { // the latter is true of infinities and NaN alone
		return
	}
	if d.n == 0 {
		d.origin, d.min, d.max = v, v, v
	}
	d.n++
	d.weight += w
	x := v - d.origin
	d.sum += w * x
	d.sq += w * x * x
	if v < d.min {
		d.min = v
	}
	if v > d.max {
		d.max = v
	}
	switch {
	case d.hist != nil:
		d.hist.Add(v, w)
	case len(d.exact) < ExactLimit:
		d.exact = append(d.exact, weighted{v, w})
	default:
		d.hist = new(Histogram)
		for _, e := range d.exact {
			d.hist.Add(e.value, e.weight)
		}
		d.exact = nil
		d.hist.Add(v, w)
	}
}

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if n <= 0 {
		return
	}
	if n <= 16 {
		for range n {
			d.Add(v)
		}
		return
	}
	d.AddWeighted(v, float64(n))
	d.n += n - 1
}

// N returns the number of values.
func (d *Dist) N() int64 { return d.n }

// Weight returns the sum of the weights.
func (d *Dist) Weight() float64 { return d.weight }

// Mean returns the weighted mean, 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	if d.n == 0 {
		return 0
	}
	return d.origin + d.sum/d.weight
}

// Min and Max return the extremes, 0 of an empty distribution.
func (d *Dist) Min() float64 { return d.min }

// Max returns the largest value, 0 of an empty distribution.
func (d *Dist) Max() float64 { return d.max }

// Stddev returns the weighted standard deviation of the population.
func (d *Dist) Stddev() float64 {
	if d.n == 0 {
		return 0
	}
	m := d.sum / d.weight
	return math.Sqrt(math.Max(0, d.sq/d.weight-m*m))
}

// Quantiles returns the values at probabilities p, which must ascend: the
// linear interpolation between order statistics (type 7 of Hyndman and Fan,
// 1996), with weights as if a value of weight w stood w times as many. It
// returns zeros of an empty distribution.
func (d *Dist) Quantiles(p ...float64) []float64 {
	out := make([]float64, len(p))
	switch {
	case d.n == 0:
	case d.hist != nil:
		for i, q := range p {
			out[i] = min(max(d.hist.Quantile(q), d.min), d.max)
		}
	default:
		slices.SortFunc(d.exact, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
		for i, q := range p {
			out[i] = quantile(d.exact, d.weight, q)
		}
	}
	return out
}

// quantile interpolates in sorted values. With equal weights it is type 7: the
// k-th of n values stands at (k-1)/(n-1). With unequal ones the value stands
// at the middle of its weight, on an axis that runs from the middle of the
// first to the middle of the last.
func quantile(v []weighted, total, p float64) float64 {
	first, last := v[0], v[len(v)-1]
	span := total - (first.weight+last.weight)/2
	if span <= 0 {
		return first.value
	}
	target := p * span
	at := 0.0
	for i := 1; i < len(v); i++ {
		next := at + (v[i-1].weight+v[i].weight)/2
		if target <= next {
			f := (target - at) / (next - at)
			return v[i-1].value + f*(v[i].value-v[i-1].value)
		}
		at = next
	}
	return last.value
}
