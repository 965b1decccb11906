package stats

import "math"

// full is a number of entries with a weight; at that number the limit is checked.
const full = ExactLimit + BatchSize

// settle checks the limit of exactness, and counts all waiting values.
func (d *dist) settle() {
	switch {
	case d == nil:
	case d.sketch != nil:
		d.plain = 0
		d.sketch.settlePairs()
		d.sketch.settlePlain()
	default:
		d.plain, d.length = 0, uint16(d.n)
		d.limit()
	}
}

// limit moves all values into a sketch if there are too many to keep.
func (d *dist) limit() {
	if d.n >= ExactLimit {
		list := d.list()
		d.sketch, d.entries = sketchOf(*list), entries{}
		lists.Put(list)
	}
}

// put keeps a value. If it equals the latest one, it only counts as a repetition.
func (d *dist) put(v, w float64) {
	if math.Abs(v) < largest && !d.entries.put(v, w) {
		d.repeats++
	}
}

// add takes a value of weight 1.
//
//go:noinline
func (d *dist) add(v float64) {
	if d.plain == BatchSize || d.sketch != nil && len(d.sketch.plain) == BatchSize {
		d.settle()
	}
	if d.sketch != nil {
		d.sketch.waitPlain(v)
		return
	}
	d.plain++
	d.put(v, 1)
}

// addWeighted takes a value within the bounds. A sketch must count a weight below all
// others at once.
func (d *dist) addWeighted(v, w float64) {
	switch d.ready(1); {
	case d.sketch == nil:
		d.length++
		d.put(v, w)
	case w < d.sketch.lightest:
		d.sketch.add(v, w)
	default:
		d.sketch.waitPairs(Weighted{v, w})
	}
}

// addList takes values with weights of 1 or more.
func (d *dist) addList(list []Weighted) {
	if d.ready(len(list)); d.sketch != nil {
		d.sketch.waitPairs(list...)
		return
	}
	d.length += uint16(len(list))
	for i := range list {
		if e := &list[i]; counts(e.Value, e.Weight) {
			d.put(e.Value, e.Weight)
		}
	}
}

// addRepeated takes a value n times. Equal neighbours stay one entry.
func (d *dist) addRepeated(v float64, n int64) {
	if d.sketch == nil || d.plain > 0 {
		d.settle()
	}
	if d.sketch != nil {
		d.addWeighted(v, float64(n))
		d.repeats += n - 1
		return
	}
	d.put(v, float64(n))
	d.repeats += n - 1
	if d.limit(); d.sketch != nil {
		d.plain = 1 // values of weight 1 up to the next repetition are a batch
	}
}

// ready checks the limit of exactness if n more entries with a weight may be too many.
// It does so each time that their number has doubled, and when their list would be
// full.
func (d *dist) ready(n int) {
	if d.sketch != nil || int(d.length)+n <= int(d.look) {
		return
	}
	d.length = uint16(d.n)
	d.limit()
	if size := int(d.length); d.sketch == nil && size+n > int(d.look) {
		switch look := max(size+n, min(2*size, full)); {
		case look <= 2*BatchSize:
			d.look = uint16(look)
		case look <= 4*BatchSize:
			d.look = 4 * BatchSize
		default:
			d.look = full
		}
	}
}
