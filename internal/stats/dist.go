package stats

import "math"

// ExactLimit is the number of values below which a [Dist] keeps every one of
// them, so that its percentiles are exact. From there on they come from a
// histogram and are off by 1/256 of their size at most.
const ExactLimit = 1024

// batchSize is how many values a [Dist] gathers before it works on them. The
// steps of a dozen histograms do not fit into the nearest cache together; one
// batch at a time they do, and a value costs a third.
const batchSize = 64

// Values and weights stay within these bounds, so that no product of theirs
// overflows or vanishes and no figure becomes infinite or NaN.
const (
	largest = 1e75
	least   = 1e-75 // of weights
)

// Dist is the distribution of a stream of weighted values. The zero value is
// empty and ready to use. Values that are not finite, or of 1e75 and more, are
// ignored.
//
// It grows to 16 kB while it is exact, and then to 1 kB for each octave that
// the values span: 64 octaves hold all from a nanosecond to three centuries.
type Dist struct {
	buf     []weighted // while it is exact all values, then those not yet in hist
	pushed  int64      // values that ever entered buf
	repeats int64      // values that entered as more weight of the one before
	hist    *histogram
	m       moments // of what is in hist
}

type weighted struct{ value, weight float64 }

// Add takes a value of weight 1.
func (d *Dist) Add(v float64) { d.add(v, 1) }

// AddWeighted takes a value of weight w; one of weight 0 or less is ignored, as
// is one outside 1e-75 to 1e75.
func (d *Dist) AddWeighted(v, w float64) { d.add(v, w) }

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if d.add(v, float64(n)) {
		d.repeats += n - 1
	}
}

// Emptied returns an empty distribution in the memory of d, which must not be
// used any more. Of much memory it keeps none.
func (d *Dist) Emptied() Dist {
	if cap(d.buf) > batchSize {
		return Dist{}
	}
	return Dist{buf: d.buf[:0]}
}

// add takes a value and reports whether it counts.
func (d *Dist) add(v, w float64) bool {
	if !counts(v, w) {
		return false
	}
	if n := len(d.buf); n > 0 && d.buf[n-1].value == v { // windows and idle queues repeat themselves
		d.buf[n-1].weight += w
		d.repeats++
		return true
	}
	d.buf = append(d.buf, weighted{v, w})
	if d.pushed++; d.pushed%batchSize == 0 {
		d.spill()
	}
	return true
}

// counts reports whether value and weight lie within the bounds; NaN does not.
func counts(v, w float64) bool { return w > least && w < largest && math.Abs(v) < largest }

// Row is some values that come together, and perhaps their weight.
type Row [4]float64

// Unweighted is the column of a weight that is 1 in every row.
const Unweighted = -1

// AddColumn takes the value in one column of every row, its weight in another,
// in this order as AddWeighted would. A few dozens of rows at a time cost two
// thirds of as many calls: the distribution is at hand but once.
func (d *Dist) AddColumn(rows []Row, value, weight int) {
	buf, w := d.buf, 1.0
	for i := range rows {
		v := rows[i][value]
		if weight >= 0 {
			w = rows[i][weight]
		}
		if !counts(v, w) {
			continue
		}
		if n := len(buf); n > 0 && buf[n-1].value == v {
			buf[n-1].weight += w
			d.repeats++
			continue
		}
		buf = append(buf, weighted{v, w})
		if d.pushed++; d.pushed%batchSize == 0 {
			d.buf = buf
			d.spill()
			buf = d.buf
		}
	}
	d.buf = buf
}

// spill moves a full batch into the histogram, once the values are too many to
// keep.
func (d *Dist) spill() {
	if d.hist == nil && len(d.buf) < ExactLimit {
		return
	}
	d.m.merge(d.buf)
	if d.hist == nil {
		d.hist = new(histogram)
		d.hist.add(d.buf)
		d.buf = make([]weighted, 0, batchSize)
		return
	}
	d.hist.add(d.buf)
	d.buf = d.buf[:0]
}

// moments returns those of all values.
func (d *Dist) moments() moments {
	m := d.m
	m.merge(d.buf)
	return m
}

// N returns the number of values.
func (d *Dist) N() int64 { return d.m.n + int64(len(d.buf)) + d.repeats }

// Mean returns the weighted mean, 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	m := d.moments()
	return m.mean + m.low
}

// Min returns the smallest value, 0 of an empty distribution.
func (d *Dist) Min() float64 { return d.moments().min }

// Max returns the largest value, 0 of an empty distribution.
func (d *Dist) Max() float64 { return d.moments().max }

// Stddev returns the weighted standard deviation of the population, 0 of an
// empty distribution.
func (d *Dist) Stddev() float64 {
	m := d.moments()
	return m.stddev()
}
