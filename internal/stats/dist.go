package stats

import "math"

// ExactLimit is the number of values below which a [Dist] keeps every one of
// them, so that its percentiles are exact. From there on they come from a
// histogram and are off by 1/256 of their size at most.
const ExactLimit = 1024

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
	buf     []weighted // all values while it is exact
	repeats int64      // values that entered buf as more weight of the one before
	hist    *histogram // nil while it is exact
	m       moments    // of what is in hist
}

type weighted struct{ value, weight float64 }

// Add takes a value of weight 1.
func (d *Dist) Add(v float64) { d.AddWeighted(v, 1) }

// AddWeighted takes a value of weight w; one of weight 0 or less is ignored, as
// is one outside 1e-75 to 1e75.
func (d *Dist) AddWeighted(v, w float64) {
	switch {
	case !counts(v, w):
	case d.hist != nil:
		d.hist.add(v, w)
		d.m.add(v, w)
	case !d.repeat(v, w):
		d.keep(v, w)
	}
}

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	before := d.N()
	if d.AddWeighted(v, float64(n)); d.N() > before {
		d.repeats += n - 1
	}
}

// counts reports whether value and weight lie within the bounds; NaN does not.
func counts(v, w float64) bool { return heavy(w) && math.Abs(v) < largest }

// heavy reports whether a weight lies within the bounds.
func heavy(w float64) bool { return w > least && w < largest }

// repeat takes a value that equals the one before as more weight of that one.
func (d *Dist) repeat(v, w float64) bool {
	n := len(d.buf) - 1
	if n < 0 || d.buf[n].value != v {
		return false
	}
	d.buf[n].weight += w
	d.repeats++
	return true
}

// keep takes a value as it is. At the limit all move into a histogram.
func (d *Dist) keep(v, w float64) {
	d.buf = append(d.buf, weighted{v, w})
	if len(d.buf) < ExactLimit {
		return
	}
	d.hist, d.m = new(histogram), momentsOf(d.buf)
	for _, e := range d.buf {
		d.hist.add(e.value, e.weight)
	}
	d.buf = nil
}

// Emptied returns an empty distribution in the memory of d, which must not be
// used any more. Of much memory it keeps none.
func (d *Dist) Emptied() Dist {
	if cap(d.buf) > smallBuf {
		return Dist{}
	}
	return Dist{buf: d.buf[:0]}
}

// smallBuf is how many values an empty distribution keeps room for.
const smallBuf = 64

// moments returns those of all values.
func (d *Dist) moments() moments {
	if d.hist == nil {
		return momentsOf(d.buf)
	}
	return d.m
}

// N returns the number of values.
func (d *Dist) N() int64 { return d.m.n + int64(len(d.buf)) + d.repeats }

// Mean returns the weighted mean, 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	m := d.moments()
	return m.mean()
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
