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
	n := d.N()
	if n == 0 {
		return Description{}
	}
	if d.n == 1 { // half of all: few packets, or what never changes
		v := d.last.Value
		return Description{N: n, Mean: v, Min: v, Max: v, P50: v, P95: v, P99: v}
	}
	list, m := d.ordered()
	defer lists.Put(list)
	q := ladder{list: *list, m: &m}
	return Description{
		N: n, Mean: m.mean(), Stddev: m.stddev(), Min: m.min, Max: m.max,
		P50: q.quantile(0.5), P95: q.quantile(0.95), P99: q.quantile(0.99),
	}
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
	list, m := d.ordered()
	defer lists.Put(list)
	for i := range p {
		q := ladder{list: *list, m: &m}
		out[i] = q.quantile(p[i])
	}
	return out
}

// ordered returns all values in ascending order, in a room of lists, and their
// moments. Nothing may wait.
func (d *dist) ordered() (*[]Weighted, moments) {
	if d.sketch != nil {
		list := lists.Get().(*[]Weighted)
		*list = d.sketch.ascending((*list)[:0])
		return list, d.sketch.moments
	}
	list := d.list()
	slices.SortFunc(*list, func(a, b Weighted) int { // NaN is not among them, which cmp.Compare would look for
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

// ladder finds quantiles in ascending values, each one from where the last one
// was on. Of copies of unit weight, W in all, the k-th stands at k - 1 on an
// axis from 0 to W - 1; a value of weight w fills w - 1 of that axis and the way
// to the next value is 1. Where a weight is below 1 the least of them takes the
// place of 1, so that equal weights of any size give what no weights do.
type ladder struct {
	list []Weighted // not empty
	m    *moments   // of list
	i    int        // the value reached
	sum  float64    // weight below it
}

// quantile returns the value at probability p, which must not be below the one
// before.
func (l *ladder) quantile(p float64) float64 {
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
