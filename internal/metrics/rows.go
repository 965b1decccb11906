package metrics

import "mpanalyze/internal/stats"

// rows gather values that come together, and enter them into their
// distributions a few dozens at a time: a packet gives up to ten values, and
// one by one each of them touches another distribution and another buffer.
//
// The distributions lack what still waits here until [rows.enter], which the
// end of the connection calls as well.
type rows struct {
	list []stats.Row // bounded by maxRows
}

const maxRows = 32

// add takes a row and reports whether it is time to enter them. The values are
// written where they stay: a row made elsewhere and copied costs 5 ns more, for
// the processor cannot read two values at once that were just written one by
// one.
func (r *rows) add(a, b, c, d float64) (full bool) {
	n := len(r.list)
	if n == cap(r.list) {
		r.list = append(r.list, stats.Row{})
	}
	r.list = r.list[:n+1]
	row := &r.list[n]
	row[0], row[1], row[2], row[3] = a, b, c, d
	return n+1 >= maxRows
}

// enter hands each column to its distribution. weights is the column of the
// weight, or [stats.Unweighted]; NaN stands for no value.
func (r *rows) enter(weights int, columns ...*stats.Dist) {
	for i, d := range columns {
		d.AddColumn(r.list, i, weights)
	}
	r.list = r.list[:0]
}
