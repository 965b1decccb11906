package stats

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
	waiting := d.pairs[d.taken:]
	d.pairs = d.pairs[:d.taken]
	for i := range waiting { // the entries move up, never beyond what was read
		d.keep(waiting[i].value, waiting[i].weight, 1)
	}
	d.endExactness()
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
	for i := 0; i < len(d.plain); {
		v, end := d.plain[i], i+1
		for end < len(d.plain) && d.plain[end] == v { // windows repeat themselves
			end++
		}
		d.keep(v, float64(end-i), int64(end-i))
		i = end
	}
	d.plain = d.plain[:0]
	d.endExactness()
}

// keep takes in n values v of weight w together, if they count. A value that
// equals the one before becomes more weight of that.
func (d *Dist) keep(v, w float64, n int64) {
	switch last := d.taken - 1; {
	case !counts(v, w):
	case last >= 0 && d.pairs[last].value == v:
		d.pairs[last].weight += w
		d.repeats += n
	default:
		d.pairs = append(d.pairs, weighted{v, w})
		d.taken++
		d.repeats += n - 1
	}
}

// endExactness moves the values into a sketch when they reach the limit.
func (d *Dist) endExactness() {
	if d.taken >= ExactLimit {
		d.sketch = sketchOf(d.pairs)
		d.pairs, d.taken = nil, 0
	}
}
