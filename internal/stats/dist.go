package stats

import (
	"iter"
	"math"
)

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

// BatchSize is how many values of a histogram wait until they are taken in together:
// one loop over them needs a third of the instructions of as many calls.
const BatchSize = 64

// Dist is the distribution of a stream of weighted values. The zero value is
// empty and ready to use; a copy may only take the place of the original. Values
// that are not finite, or of 1e75 and more, are ignored.
//
// Empty it is one pointer, as a connection has a hundred of them and most stay
// empty. With one value it takes 64 bytes, and while it is exact about 4 more for
// each whole number of units or nanoseconds, 18 at most. Then it takes 1 kB for each
// octave that the values span, and 2 kB for those that wait: 64 octaves hold all from a
// nanosecond to three centuries.
type Dist struct{ *dist }

// dist is what a distribution with values keeps.
type dist struct {
	entries         // while it is exact
	repeats int64   // values that are no entry of their own, but more weight of another
	sketch  *sketch // nil while it is exact

	// The limit of exactness is looked at when so many values have come, and when
	// somebody asks. Until then equal neighbours count one by one in length.
	plain        uint8  // values of weight 1 since the latest look; bounded by Batch
	length, look uint16 // entries with a weight, and how many of them there may be before the next look; bounded by ExactLimit + Batch
}

// Weighted is a value and its weight.
type Weighted struct{ Value, Weight float64 }

// Add takes a value of weight 1.
func (d *Dist) Add(v float64) {
	if x := d.dist; x != nil && x.sketch != nil && len(x.sketch.plain) < cap(x.sketch.plain) {
		x.sketch.plain = append(x.sketch.plain, v)
	} else {
		d.made().add(v)
	}
}

// AddWeighted takes a value of weight w; one of weight 0 or less is ignored, as
// is one outside 1e-75 to 1e75.
func (d *Dist) AddWeighted(v, w float64) {
	if counts(v, w) {
		d.made().addWeighted(v, w)
	}
}

// AddWeightedSlice takes values with weights of 1 or more, [BatchSize] at most.
func (d *Dist) AddWeightedSlice(list []Weighted) {
	if len(list) > 0 {
		d.made().addList(list)
	}
}

// AddSlice takes values of weight 1, [BatchSize] at most.
func (d *Dist) AddSlice(list []float64) {
	if len(list) > 0 {
		d.made().addAll(list)
	}
}

// AddRepeatedWeighted takes the value v n times, n positive, of weights that sum up to w.
func (d *Dist) AddRepeatedWeighted(v, w float64, n int64) {
	if counts(v, w) {
		d.AddWeighted(v, w)
		d.repeats += n - 1
	}
}

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if n > 0 && math.Abs(v) < largest {
		d.made().addRepeated(v, n)
	}
}

// maxReused is how much room for values an empty distribution keeps, in bytes.
const maxReused = 128

// Reset takes all values out. Of the memory it keeps what is little.
func (d *Dist) Reset() {
	switch {
	case d.dist == nil:
	case d.sketch != nil || cap(d.code) > maxReused:
		d.dist = nil
	default:
		*d.dist = dist{entries: entries{code: d.code[:0]}}
	}
}

// made returns what d keeps, for the first value too.
func (d *Dist) made() *dist {
	if d.dist == nil {
		d.dist = new(dist)
	}
	return d.dist
}

// Exact reports whether every value is kept.
func (d *Dist) Exact() bool { return d.dist == nil || d.sketch == nil }

// ExactValues returns the values of an exact distribution in the order in which they came,
// equal neighbours as one with all their weight. None may be added meanwhile.
func (d *Dist) ExactValues() iter.Seq[Weighted] {
	return func(yield func(Weighted) bool) {
		if d.dist == nil || d.sketch != nil {
			return
		}
		list := d.list()
		defer lists.Put(list)
		for _, v := range *list {
			if !yield(v) {
				return
			}
		}
	}
}

// counts reports whether value and weight lie within the bounds; NaN does not.
func counts(v, w float64) bool { return w > least && w < largest && math.Abs(v) < largest }

// moments returns those of all values. Nothing may wait.
func (d *dist) moments() (m moments) {
	switch {
	case d == nil:
	case d.sketch == nil:
		list := d.list()
		m = momentsOf(*list)
		lists.Put(list)
	default:
		m = d.sketch.moments
	}
	return m
}

// N returns the number of values.
func (d *Dist) N() int64 {
	if d.dist == nil {
		return 0
	}
	d.settle()
	if d.sketch != nil {
		return d.sketch.n + d.repeats
	}
	return int64(d.n) + d.repeats
}

// Mean returns the weighted mean, 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	d.settle()
	m := d.moments()
	return m.mean()
}

// Min returns the smallest value, 0 of an empty distribution.
func (d *Dist) Min() float64 {
	d.settle()
	return d.moments().min
}

// Max returns the largest value, 0 of an empty distribution.
func (d *Dist) Max() float64 {
	d.settle()
	return d.moments().max
}

// Stddev returns the weighted standard deviation of the population, 0 of an
// empty distribution.
func (d *Dist) Stddev() float64 {
	d.settle()
	m := d.moments()
	return m.stddev()
}
