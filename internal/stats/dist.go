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

// Batch is how many values wait until they are taken in together: one loop
// over them needs a third of the instructions of as many calls.
const Batch = 64

// Dist is the distribution of a stream of weighted values. The zero value is
// empty and ready to use; a copy may only take the place of the original. Values
// that are not finite, or of 1e75 and more, are ignored.
//
// Empty it is one pointer, as a connection has a hundred of them and most stay empty.
// It grows to 18 kB while it is exact, and then to 1 kB for each octave that
// the values span: 64 octaves hold all from a nanosecond to three centuries.
type Dist struct{ *dist }

// dist is what a distribution with values keeps.
type dist struct {
	plain   []float64  // values of weight 1 that wait; bounded by Batch
	pairs   []Weighted // while it is exact all that were taken in, then those that wait; bounded by ExactLimit + Batch
	taken   int        // of pairs: they count, and differ from their neighbours
	repeats int64      // values that are no entry of their own, but more weight of another
	sketch  *sketch    // nil while it is exact
}

// Weighted is a value and its weight.
type Weighted struct{ Value, Weight float64 }

// Add takes a value of weight 1.
func (d *Dist) Add(v float64) {
	x := d.dist
	if x == nil || len(x.plain) == cap(x.plain) {
		x = d.more()
	}
	x.plain = append(x.plain, v)
}

// AddWeighted takes a value of weight w; one of weight 0 or less is ignored, as
// is one outside 1e-75 to 1e75.
func (d *Dist) AddWeighted(v, w float64) {
	if x := d.dist; x != nil && w >= 1 && w < largest && len(x.pairs) < cap(x.pairs) {
		x.pairs = append(x.pairs, Weighted{v, w})
	} else {
		d.addMorePairs(v, w)
	}
}

// Room is AddWeighted for n values at once, [Batch] at most: it returns room for
// them, all of which the caller must fill in before any other call, with weights
// of 1 or more.
func (d *Dist) Room(n int) []Weighted {
	x := d.made()
	if cap(x.pairs)-len(x.pairs) < n {
		x.settlePairs()
		x.makeRoom(n)
	}
	at := len(x.pairs)
	x.pairs = x.pairs[:at+n]
	return x.pairs[at:]
}

// made returns what d keeps, for the first value too.
func (d *Dist) made() *dist {
	if d.dist == nil {
		d.dist = new(dist)
	}
	return d.dist
}

// AddAll takes values of weight 1, [Batch] at most. Few of them wait for others,
// once they need not be neighbours of those before.
func (d *Dist) AddAll(list []float64) {
	if len(list) == 0 {
		return
	}
	if d.made().sketch == nil {
		d.settle()
		d.takePlain(list)
		return
	}
	if cap(d.plain)-len(d.plain) < len(list) {
		d.settlePlain()
		d.plainRoom()
	}
	d.plain = append(d.plain, list...)
}

// AddTimes takes the value v n times, n positive, of weights that sum up to w.
func (d *Dist) AddTimes(v, w float64, n int64) {
	if counts(v, w) {
		d.AddWeighted(v, w)
		d.repeats += n - 1
	}
}

// Exact reports whether every value is kept.
func (d *Dist) Exact() bool { return d.dist == nil || d.sketch == nil }

// AddRepeated takes the value v n times, each of weight 1.
func (d *Dist) AddRepeated(v float64, n int64) {
	if n <= 0 || !(math.Abs(v) < largest) {
		return
	}
	if d.made().sketch == nil {
		d.settle() // values that repeat each other stay neighbours
		if last := len(d.pairs) - 1; last >= 0 && d.pairs[last].Value == v {
			d.pairs[last].Weight += float64(n)
			d.repeats += n
			return
		}
	}
	d.AddWeighted(v, float64(n))
	d.repeats += n - 1
}

// counts reports whether value and weight lie within the bounds; NaN does not.
func counts(v, w float64) bool { return w > least && w < largest && math.Abs(v) < largest }

// Emptied returns an empty distribution in the memory of d, which must not be
// used any more. Of much memory it keeps none.
func (d *Dist) Emptied() Dist {
	if d.dist == nil {
		return Dist{}
	}
	if cap(d.pairs) > Batch {
		giveRoom(d.pairs)
		d.pairs = nil
	}
	*d.dist = dist{plain: d.plain[:0], pairs: d.pairs[:0]}
	return *d
}

// moments returns those of all values. Nothing may wait.
func (d *dist) moments() moments {
	if d == nil {
		return moments{}
	}
	if d.sketch == nil {
		return momentsOf(d.pairs)
	}
	return d.sketch.moments
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
	return int64(len(d.pairs)) + d.repeats
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
