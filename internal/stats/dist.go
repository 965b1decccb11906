package stats

import (
	"iter"
	"math"
)

// ExactLimit is a number of values. A [Dist] with fewer values keeps all of them, so
// that its percentiles are exact. With more, percentiles come from a histogram. Their
// error is at most 1/256 of the larger of the two values that they lie between.
const ExactLimit = 1024

// Values and weights stay within these bounds, so that no product overflows or becomes
// 0, and no figure becomes infinite or NaN.
const (
	largest = 1e75
	least   = 1e-75 // of weights
)

// BatchSize is how many values wait before a histogram takes them: a loop over them
// needs a third of the instructions of as many calls.
const BatchSize = 64

// Dist is the distribution of a stream of weighted values. The zero value is empty and
// ready to use. A copy may only replace the original. Values that are not finite, or of
// 1e75 and more, are ignored.
//
// An empty Dist is one pointer, because a connection has a hundred of them and most
// stay empty. With one value it takes 64 bytes. While it is exact, each further value
// takes about 4 bytes if it is a whole number of units or nanoseconds, and 18 bytes at
// most. After that it takes 1 kB for each octave (power of two) that the values span,
// and 2 kB for values that wait. 64 octaves hold all durations from a nanosecond to
// three centuries.
type Dist struct{ *dist }

// dist is the state of a distribution with values.
type dist struct {
	entries         // while it is exact
	repeats int64   // values that added weight to an equal entry
	sketch  *sketch // nil while it is exact

	// The number of values is checked against the limit after plain or length reaches
	// its bound, and when figures are read. Until then each repeated value counts in
	// length.
	plain        uint8  // values of weight 1 since the latest check; bounded by BatchSize
	length, look uint16 // entries with a weight, and how many there may be before the next check; bounded by ExactLimit + BatchSize
}

// Weighted is a value and its weight.
type Weighted struct{ Value, Weight float64 }

// Add adds a value of weight 1.
func (d *Dist) Add(v float64) {
	x := d.dist
	switch {
	case x == nil:
	case x.sketch != nil:
		if s := x.sketch; len(s.plain) < cap(s.plain) {
			s.plain = append(s.plain, v)
			return
		}
	case x.last.Value == v && x.n > 0 && x.plain < BatchSize: // as often: the same value again; 60 instructions less
		x.last.Weight++
		x.repeats++
		x.plain++
		return
	}
	d.made().add(v)
}

// AddWeighted adds a value of weight w. It ignores weights outside 1e-75 to 1e75.
func (d *Dist) AddWeighted(v, w float64) {
	if counts(v, w) {
		d.made().addWeighted(v, w)
	}
}

// AddWeightedSlice adds values with weights of 1 or more, at most [BatchSize].
func (d *Dist) AddWeightedSlice(list []Weighted) {
	if len(list) > 0 {
		d.made().addList(list)
	}
}

// AddRepeatedWeighted adds the value v n times, n > 0, with weights of w in all.
func (d *Dist) AddRepeatedWeighted(v, w float64, n int64) {
	if counts(v, w) {
		d.AddWeighted(v, w)
		d.repeats += n - 1
	}
}

// AddRepeated adds the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if n > 0 && math.Abs(v) < largest {
		d.made().addRepeated(v, n)
	}
}

// maxReused bounds the memory that an empty distribution keeps, bytes.
const maxReused = 128

// Reset removes all values. It keeps memory that is small.
func (d *Dist) Reset() {
	switch {
	case d.dist == nil:
	case d.sketch != nil || cap(d.code) > maxReused:
		d.dist = nil
	default:
		*d.dist = dist{entries: entries{code: d.code[:0]}}
	}
}

// Renewed removes all values, as [Dist.Reset] does, and returns the distribution.
func (d *Dist) Renewed() Dist {
	d.Reset()
	return *d
}

// made returns the state of d, and makes it for the first value.
func (d *Dist) made() *dist {
	if d.dist == nil {
		d.dist = new(dist)
	}
	return d.dist
}

// Exact reports whether every value is kept.
func (d *Dist) Exact() bool { return d.dist == nil || d.sketch == nil }

// ExactValues iterates over the values of an exact distribution in the order in which
// they were added, with equal neighbours as one value of their total weight. The
// distribution must not change meanwhile.
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

// Map replaces every value by f(value), if all are kept, and reports whether they are.
// Weights and the number of values stay.
func (d *Dist) Map(f func(float64) float64) bool {
	if d.dist == nil || d.sketch != nil {
		return d.dist == nil
	}
	list := d.list()
	defer lists.Put(list)
	d.entries = entries{}
	for _, v := range *list {
		d.put(f(v.Value), v.Weight)
	}
	return true
}

// counts reports whether value and weight are within the bounds. NaN is not.
func counts(v, w float64) bool { return w > least && w < largest && math.Abs(v) < largest }

// moments returns the moments of all values. No value may be waiting.
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

// Weight returns the sum of the weights.
func (d *Dist) Weight() float64 {
	if d.N() == 0 {
		return 0
	}
	m := d.moments()
	return m.weight
}

// Mean returns the weighted mean; 0 of an empty distribution.
func (d *Dist) Mean() float64 {
	d.settle()
	m := d.moments()
	return m.mean()
}

// Min returns the smallest value; 0 of an empty distribution.
func (d *Dist) Min() float64 {
	d.settle()
	return d.moments().min
}

// Max returns the largest value; 0 of an empty distribution.
func (d *Dist) Max() float64 {
	d.settle()
	return d.moments().max
}

// SoFar returns the weighted mean and the smallest of the values so far; n > 0 says
// that there are any. It does not change the distribution: later figures are the same,
// to the last digit, as without the call.
func (d *Dist) SoFar() (mean, least float64, n int64) {
	var m moments
	switch {
	case d.dist == nil:
		return 0, 0, 0
	case d.sketch == nil:
		m = d.moments()
	default:
		m = d.sketch.moments
		for _, v := range d.sketch.plain {
			m.add(v, 1)
		}
		for _, v := range d.sketch.pairs {
			m.add(v.Value, v.Weight)
		}
	}
	return m.mean(), m.min, m.n
}
