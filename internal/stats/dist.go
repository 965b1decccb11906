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

// batchSize is how many values a [Dist] gathers before it works on them. The
// steps of a dozen histograms do not fit into the nearest cache together; one
// batch at a time they do, and a value costs a third.
const batchSize = 64

// Dist is the distribution of a stream of weighted values. The zero value is
// empty and ready to use. Values that are not finite are ignored.
//
// It grows to 16 kB while it is exact, and then to a few kB for each octave
// that the values span.
type Dist struct {
	buf     []weighted // while it is exact all values, then those not yet in hist
	pushed  int64      // values that ever entered buf
	repeats int64      // values that entered as more weight of the one before
	hist    *Histogram
	m       moments // of what is in hist
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
	if n := len(d.buf); n > 0 && d.buf[n-1].value == v { // windows and idle queues repeat themselves
		d.buf[n-1].weight += w
		d.repeats++
		return
	}
	d.buf = append(d.buf, weighted{v, w})
	if d.pushed++; d.pushed%batchSize == 0 {
		d.spill()
	}
}

// spill moves a full batch into the histogram, once the values are too many to
// keep.
func (d *Dist) spill() {
	if d.hist == nil {
		if len(d.buf) < ExactLimit {
			return
		}
		d.hist = new(Histogram)
	}
	for _, e := range d.buf {
		d.m.add(e)
		d.hist.Add(e.value, e.weight)
	}
	d.buf = d.buf[:0]
}

// moments sum up values. Sums are taken relative to the first value, so that
// close values do not cancel.
type moments struct {
	n        int64
	weight   float64
	origin   float64
	sum, sq  float64 // of weight * (value - origin), and of its square
	min, max float64
}

func (m *moments) add(e weighted) {
	if m.n == 0 {
		m.origin, m.min, m.max = e.value, e.value, e.value
	}
	m.n++
	m.weight += e.weight
	x := e.value - m.origin
	m.sum += e.weight * x
	m.sq += e.weight * x * x
	m.min, m.max = min(m.min, e.value), max(m.max, e.value)
}

// moments returns those of all values.
func (d *Dist) moments() moments {
	m := d.m
	for _, e := range d.buf {
		m.add(e)
	}
	return m
}

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if n > 0 {
		d.AddWeighted(v, float64(n))
		d.repeats += n - 1
	}
}

// N returns the number of values.
func (d *Dist) N() int64 { return d.m.n + int64(len(d.buf)) + d.repeats }

// Weight returns the sum of the weights.
func (d *Dist) Weight() float64 { return d.moments().weight }

// Mean returns the weighted mean, 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	m := d.moments()
	if m.n == 0 {
		return 0
	}
	return m.origin + m.sum/m.weight
}

// Min returns the smallest value, 0 of an empty distribution.
func (d *Dist) Min() float64 { return d.moments().min }

// Max returns the largest value, 0 of an empty distribution.
func (d *Dist) Max() float64 { return d.moments().max }

// Stddev returns the weighted standard deviation of the population.
func (d *Dist) Stddev() float64 {
	m := d.moments()
	if m.n == 0 {
		return 0
	}
	mean := m.sum / m.weight
	return math.Sqrt(math.Max(0, m.sq/m.weight-mean*mean))
}

// Quantiles returns the values at probabilities p, which must ascend: the
// linear interpolation between order statistics (type 7 of Hyndman and Fan,
// 1996), with weights as if a value of weight w stood w times as many. It
// returns zeros of an empty distribution.
func (d *Dist) Quantiles(p ...float64) []float64 {
	out := make([]float64, len(p))
	switch {
	case d.N() == 0:
	case d.hist != nil:
		d.spill()
		for i, q := range p {
			out[i] = min(max(d.hist.Quantile(q), d.m.min), d.m.max)
		}
	default:
		slices.SortFunc(d.buf, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
		total := d.Weight()
		for i, q := range p {
			out[i] = quantile(d.buf, total, q)
		}
	}
	return out
}

// quantile interpolates in sorted values as if one of weight w stood w times:
// of W values the k-th stands at (k-1)/(W-1).
func quantile(v []weighted, total, p float64) float64 {
	at := p * (total - 1)
	if at <= 0 {
		return v[0].value
	}
	below := math.Floor(at)
	sum := 0.0
	for i, e := range v {
		if sum += e.weight; sum <= below {
			continue
		}
		if sum > below+1 || i+1 == len(v) {
			return e.value
		}
		return e.value + (at-below)*(v[i+1].value-e.value)
	}
	return v[len(v)-1].value
}
