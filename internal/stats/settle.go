package stats

import "math"

// more makes room for another value of weight 1, and returns what d keeps. It is no
// part of Add, so that a call of that is none.
//
//go:noinline
func (d *Dist) more() *dist {
	x := d.made()
	if n := cap(x.plain); n < Batch {
		x.plain = append(make([]float64, 0, max(2, 2*n)), x.plain...)
	} else {
		x.settle()
	}
	return x
}

// plainRoom sees to it that as many values as may wait have room. None waits.
func (d *dist) plainRoom() {
	if cap(d.plain) < Batch {
		d.plain = make([]float64, 0, Batch)
	}
}

// addMorePairs is AddWeighted where there is no room left, or the weight is not a
// usual one: of one below all others a sketch has to learn at once. What repeats
// itself goes on in the room it has.
func (d *Dist) addMorePairs(v, w float64) {
	if counts(v, w) {
		d.made().addMorePairs(v, w)
	}
}

func (d *dist) addMorePairs(v, w float64) {
	switch {
	case d.sketch != nil && w < d.sketch.lightest:
		d.sketch.add(v, w)
		return
	case len(d.pairs) == cap(d.pairs):
		d.settlePairs()
		d.makeRoom(1)
	}
	d.pairs = append(d.pairs, Weighted{v, w})
}

// makeRoom sees to it that n more pairs have room, and gives room to further
// ones of a distribution that grows.
func (d *dist) makeRoom(n int) {
	size := len(d.pairs)
	if cap(d.pairs)-size >= n {
		return
	}
	more := max(1, min(size, Batch))
	if d.sketch != nil {
		more = Batch
	}
	room := max(size+max(n, more), min(2*size, ExactLimit+Batch))
	outgrown := d.pairs
	d.pairs = roomFor(size, room)
	copy(d.pairs, outgrown)
	giveRoom(outgrown)
}

// settle takes in all that waits.
func (d *dist) settle() {
	if d != nil && (len(d.plain) > 0 || len(d.pairs) > d.taken) {
		d.settlePairs()
		d.settlePlain()
	}
}

// settlePairs takes in what waits with a weight.
func (d *dist) settlePairs() {
	if d.sketch != nil {
		d.sketch.takeWeighted(d.pairs)
		d.pairs = d.pairs[:0]
		return
	}
	list := d.pairs[:d.taken]
	for _, e := range d.pairs[d.taken:] { // the entries move up, never beyond what was read
		switch last := len(list) - 1; {
		case !counts(e.Value, e.Weight):
		case last >= 0 && list[last].Value == e.Value:
			list[last].Weight += e.Weight
			d.repeats++
		default:
			list = append(list, e)
		}
	}
	d.keep(list)
}

// settlePlain takes in what waits without one, once all others are.
func (d *dist) settlePlain() {
	if len(d.plain) > 0 {
		d.takePlain(d.plain)
		d.plain = d.plain[:0]
	}
}

// takePlain takes in values without a weight. Nothing else may wait.
func (d *dist) takePlain(plain []float64) {
	if d.sketch != nil {
		d.sketch.take(plain)
		return
	}
	list := d.pairs
	for i := 0; i < len(plain); {
		v, from := plain[i], i
		for i++; i < len(plain) && plain[i] == v; { // windows repeat themselves
			i++
		}
		n := int64(i - from)
		switch last := len(list) - 1; {
		case last >= 0 && list[last].Value == v:
			list[last].Weight += float64(n)
			d.repeats += n
		case math.Abs(v) < largest:
			if len(list) == cap(list) {
				d.pairs = list
				d.makeRoom(1)
				list = d.pairs
			}
			list = append(list, Weighted{v, float64(n)})
			d.repeats += n - 1
		}
	}
	d.keep(list)
}

// keep keeps values that were taken in. At the limit of exactness all move into
// a sketch.
func (d *dist) keep(list []Weighted) {
	d.pairs, d.taken = list, len(list)
	if d.taken >= ExactLimit {
		d.sketch = sketchOf(list)
		giveRoom(list)
		d.pairs, d.taken = nil, 0
	}
}
