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

// add takes a row and reports whether it is time to enter them.
func (r *rows) add(v stats.Row) (full bool) {
	r.list = append(r.list, v)
	return len(r.list) >= maxRows
}

// enter hands each column to its distribution. weights is the column of the
// weight, or [stats.Unweighted]; NaN stands for no value.
func (r *rows) enter(weights int, columns ...*stats.Dist) {
	for i, d := range columns {
		d.AddColumn(r.list, i, weights)
	}
	r.list = r.list[:0]
}
