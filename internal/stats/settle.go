package stats

import "math"

// addMore is Add where there is no room left.
func (d *Dist) addMore(v float64) {
	if n := cap(d.plain); n < batch {
		d.plain = append(make([]float64, 0, max(8, 2*n)), d.plain...)
	} else {
		d.settle()
	}
	d.plain = append(d.plain, v)
}

// addMorePairs is AddWeighted where there is no room left. What repeats itself
// goes on in the room it has.
func (d *Dist) addMorePairs(v, w float64) {
	d.settlePairs()
	if d.sketch != nil {
		d.makeRoom(batch)
	} else {
		d.makeRoom(max(4, min(len(d.pairs), batch)))
	}
	d.pairs = append(d.pairs, weighted{v, w})
}

// makeRoom sees to it that n more pairs have room.
func (d *Dist) makeRoom(n int) {
	if size := len(d.pairs); cap(d.pairs)-size < n {
		room := max(size+n, min(2*size, ExactLimit+batch))
		d.pairs = append(make([]weighted, 0, room), d.pairs...)
	}
}

// settle takes in all that waits.
func (d *Dist) settle() {
	d.settlePairs()
	d.settlePlain()
}

// settlePairs takes in what waits with a weight.
func (d *Dist) settlePairs() {
	if d.sketch != nil {
		d.sketch.takeWeighted(d.pairs)
		d.pairs = d.pairs[:0]
		return
	}
	list := d.pairs[:d.taken]
	for _, e := range d.pairs[d.taken:] { // the entries move up, never beyond what was read
		switch last := len(list) - 1; {
		case !counts(e.value, e.weight):
		case last >= 0 && list[last].value == e.value:
			list[last].weight += e.weight
			d.repeats++
		default:
			list = append(list, e)
		}
	}
	d.keep(list)
}

// settlePlain takes in what waits without one, once all others are.
func (d *Dist) settlePlain() {
	if len(d.plain) == 0 {
		return
	}
	if d.sketch != nil {
		d.sketch.take(d.plain)
		d.plain = d.plain[:0]
		return
	}
	d.makeRoom(len(d.plain))
	list := d.pairs
	for left := d.plain; len(left) > 0; {
		v, n := left[0], 1
		for n < len(left) && left[n] == v { // windows repeat themselves
			n++
		}
		switch last := len(list) - 1; {
		case last >= 0 && list[last].value == v:
			list[last].weight += float64(n)
			d.repeats += int64(n)
		case math.Abs(v) < largest:
			list = append(list, weighted{v, float64(n)})
			d.repeats += int64(n) - 1
		}
		left = left[n:]
	}
	d.plain = d.plain[:0]
	d.keep(list)
}

// keep keeps values that were taken in. At the limit of exactness all move into
// a sketch.
func (d *Dist) keep(list []weighted) {
	d.pairs, d.taken = list, len(list)
	if d.taken >= ExactLimit {
		d.sketch = sketchOf(list)
		d.pairs, d.taken = nil, 0
	}
}
