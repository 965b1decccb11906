package stats

import "slices"

// Description is what reports say of a distribution: the figures that
// [Dist.N], [Dist.Mean], [Dist.Stddev], [Dist.Min], [Dist.Max] and
// [Dist.Quantiles] give, in the unit of its values.
type Description struct {
	N             int64 // number of values
	Mean, Stddev  float64
	Min, Max      float64
	P50, P95, P99 float64
}

// Describe returns all figures at once: a report asks thousands of small
// distributions for all of them, and most of the work is common. Those of an
// empty distribution are zeros.
func (d *Dist) Describe() Description {
	if d.N() == 0 {
		return Description{}
	}
	m := d.sort()
	out := Description{P50: d.quantile(&m, 0.5), P95: d.quantile(&m, 0.95), P99: d.quantile(&m, 0.99)}
	m = d.moments()
	out.N, out.Mean, out.Stddev, out.Min, out.Max = d.N(), m.mean(), m.stddev(), m.min, m.max
	return out
}

// Quantiles returns the values at probabilities p: the linear interpolation
// between order statistics (type 7 of Hyndman and Fan, 1996, which gonum has
// not), with weights as if a value of weight w stood w times. It returns zeros
// of an empty distribution.
func (d *Dist) Quantiles(p ...float64) []float64 {
	out := make([]float64, len(p))
	if d.N() == 0 {
		return out
	}
	m := d.sort()
	for i, q := range p {
		out[i] = d.quantile(&m, q)
	}
	return out
}

// sort brings all values into the order of quantile, and returns their moments.
// Nothing may wait.
func (d *Dist) sort() moments {
	m := d.moments()
	if d.sketch != nil {
		return m
	}
	slices.SortFunc(d.pairs, func(a, b weighted) int { // NaN is not among them, which cmp.Compare would look for
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	return m
}

// quantile returns the value at probability p; the values are sorted.
func (d *Dist) quantile(m *moments, p float64) float64 {
	if !(p > 0) {
		return m.min
	}
	if p >= 1 {
		return m.max
	}
	unit := min(1, m.lightest)
	q := interpolation{at: p * (m.weight - unit), unit: unit, f: -1}
	if d.sketch != nil {
		d.sketch.ascend(q.take)
	} else {
		for i := range d.pairs {
			if !q.take(d.pairs[i].value, d.pairs[i].weight) {
				break
			}
		}
	}
	return min(max(q.from, m.min), m.max)
}

// interpolation finds a value in ascending values. Of copies of unit weight, W in all,
// the k-th stands at k - 1 on an axis from 0 to W - 1; a value of weight w fills
// w - 1 of that axis and the way to the next value is 1. Where a weight is below
// 1 the least of them takes the place of 1, so that equal weights of any size
// give what no weights do.
type interpolation struct {
	at, unit float64 // the place wanted, and what takes the place of 1
	sum      float64 // weight up to from
	from     float64 // the result; while f is 0 or more the next value draws it on by that part of the way
	f        float64
}

// take takes the next value and reports whether it wants another one.
func (q *interpolation) take(value, weight float64) (more bool) {
	if q.f >= 0 {
		q.from += q.f * (value - q.from)
		return false
	}
	q.from = value
	q.sum += weight
	if q.at <= q.sum-q.unit {
		return false
	}
	if q.at < q.sum {
		q.f = (q.at - (q.sum - q.unit)) / q.unit
	}
	return true
}
