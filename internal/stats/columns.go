package stats

// Row is some values that come together, and perhaps their weight.
type Row [4]float64

// Unweighted is the column of a weight that is 1 in every row.
const Unweighted = -1

// AddColumn takes the value in one column of every row, its weight in another,
// in this order as AddWeighted would. A few dozens of rows at a time cost half
// of as many calls: the sums stay in registers, and one distribution after the
// other in the nearest cache.
func (d *Dist) AddColumn(rows []Row, value, weight int) {
	if d.hist == nil {
		rows = d.keepColumn(rows, value, weight)
	}
	switch {
	case len(rows) == 0:
	case weight < 0:
		d.addColumn(rows, value)
	default:
		d.addWeightedColumn(rows, value, weight)
	}
}

// keepColumn takes rows while all values are kept, and returns those that are
// left.
func (d *Dist) keepColumn(rows []Row, value, weight int) []Row {
	w := 1.0
	for i := range rows {
		if weight >= 0 {
			w = rows[i][weight]
		}
		v := rows[i][value]
		if n := len(d.buf) - 1; n >= 0 && d.buf[n].value == v && heavy(w) { // windows and idle queues repeat themselves
			d.buf[n].weight += w
			d.repeats++
		} else if counts(v, w) {
			if d.keep(v, w); d.hist != nil {
				return rows[i+1:]
			}
		}
	}
	return nil
}

// addColumn is AddColumn for values of weight 1 beyond exactness.
func (d *Dist) addColumn(rows []Row, value int) {
	near, from := d.hist.near, d.hist.from
	n, origin, first, second, low, high := 0, d.m.origin, d.m.first, d.m.second, d.m.min, d.m.max
	for i := range rows {
		v := rows[i][value]
		if k := step(v) - from; k < uint64(len(near)) {
			near[k]++
		} else if counts(v, 1) {
			d.hist.add(v, 1)
			near, from = d.hist.near, d.hist.from
		} else {
			continue
		}
		x := v - origin
		n++
		first += x
		second += x * x
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	d.m.n += int64(n)
	d.m.weight += float64(n)
	d.m.first, d.m.second, d.m.min, d.m.max = first, second, low, high
	d.m.lightest = min(d.m.lightest, 1)
	d.m.follow()
}

// addWeightedColumn is addColumn with weights.
func (d *Dist) addWeightedColumn(rows []Row, value, weight int) {
	near, from := d.hist.near, d.hist.from
	n, total, lightest := 0, d.m.weight, d.m.lightest
	origin, first, second, low, high := d.m.origin, d.m.first, d.m.second, d.m.min, d.m.max
	for i := range rows {
		v, w := rows[i][value], rows[i][weight]
		if k := step(v) - from; k < uint64(len(near)) && heavy(w) {
			near[k] += w
		} else if counts(v, w) {
			d.hist.add(v, w)
			near, from = d.hist.near, d.hist.from
		} else {
			continue
		}
		x := v - origin
		wx := w * x
		n++
		total += w
		first += wx
		second += wx * x
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
		if w < lightest {
			lightest = w
		}
	}
	d.m.n += int64(n)
	d.m.weight, d.m.first, d.m.second, d.m.min, d.m.max, d.m.lightest = total, first, second, low, high, lightest
	d.m.follow()
}
