package stats

import "slices"

// Description holds what reports say about a distribution: the figures of [Dist.N],
// [Dist.Mean], [Dist.Min], [Dist.Max] and [Dist.Quantiles], and the weighted standard
// deviation of the population, in the unit of its values.
type Description struct {
	N             int64 // number of values
	Mean, Stddev  float64
	Min, Max      float64
	P50, P95, P99 float64
}

// Describe returns all figures at once. Reports need all of them for thousands of small
// distributions, and most of the work is common to all figures. They are zeros for an
// empty distribution.
func (d *Dist) Describe() Description {
	n := d.N()
	if n == 0 {
		return Description{}
	}
	if d.n == 1 { // half of all distributions: few packets, or a value that never changes
		v := d.last.Value
		return Description{N: n, Mean: v, Min: v, Max: v, P50: v, P95: v, P99: v}
	}
	list, m := d.ordered()
	defer lists.Put(list)
	q := quantileSearch{list: *list, m: &m}
	return Description{
		N: n, Mean: m.mean(), Stddev: m.stddev(), Min: m.min, Max: m.max,
		P50: q.quantile(0.5), P95: q.quantile(0.95), P99: q.quantile(0.99),
	}
}

// Quantiles returns the values at probabilities p, by linear interpolation between
// order statistics (type 7 of Hyndman and Fan, 1996; gonum does not have it). A value
// of weight w counts like w equal values. It returns zeros for an empty distribution.
func (d *Dist) Quantiles(p ...float64) []float64 {
	out := make([]float64, len(p))
	if d.N() == 0 {
		return out
	}
	list, m := d.ordered()
	defer lists.Put(list)
	for i := range p {
		q := quantileSearch{list: *list, m: &m}
		out[i] = q.quantile(p[i])
	}
	return out
}

// ordered returns all values in ascending order, in a list from lists, and their
// moments. No value may be waiting.
func (d *dist) ordered() (*[]Weighted, moments) {
	if d.sketch != nil {
		list := lists.Get().(*[]Weighted)
		*list = d.sketch.ascending((*list)[:0])
		return list, d.sketch.moments
	}
	list := d.list()
	slices.SortFunc(*list, func(a, b Weighted) int { // faster than cmp.Compare, which checks for NaN; no value is NaN
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	return list, momentsOf(*list)
}

// quantileSearch finds quantiles in ascending order. Each search begins where the last one
// ended. With weights of 1, W in all, the k-th value is at k - 1 on an axis from 0 to W
// - 1. A value of weight w covers w - 1 of that axis, and the distance to the next
// value is 1. If weights are below 1, the smallest weight replaces 1. So equal weights
// of any size give the same result as no weights.
type quantileSearch struct {
	list []Weighted // not empty
	m    *moments   // of list
	i    int        // the value reached
	sum  float64    // weight below it
}

// quantile returns the value at probability p. p must not be lower than in the call
// before.
func (l *quantileSearch) quantile(p float64) float64 {
	if !(p > 0) {
		return l.m.min
	}
	if p >= 1 {
		return l.m.max
	}
	unit := min(1, l.m.lightest)
	at := p * (l.m.weight - unit)
	for l.i < len(l.list)-1 && at >= l.sum+l.list[l.i].Weight {
		l.sum += l.list[l.i].Weight
		l.i++
	}
	v := l.list[l.i].Value
	if by := at - (l.sum + l.list[l.i].Weight - unit); by > 0 && l.i < len(l.list)-1 {
		v += by / unit * (l.list[l.i+1].Value - v)
	}
	return min(max(v, l.m.min), l.m.max)
}
