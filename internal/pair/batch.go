package pair

import "mpanalyze/internal/stats"

// batch gathers values that come together and enters them into their
// distributions a few dozens at a time, which costs half of doing it one by
// one. A value of NaN is none.
type batch struct {
	list []stats.Row // bounded by maxBatch
}

const maxBatch = 32

// row returns a row to fill, and whether the batch is full with it.
func (b *batch) row() (r *stats.Row, full bool) {
	n := len(b.list)
	if n == cap(b.list) {
		b.list = append(b.list, stats.Row{})
	}
	b.list = b.list[:n+1]
	return &b.list[n], n+1 >= maxBatch
}

// enter hands the columns to their distributions. weight is that of the
// weights, or [stats.Unweighted].
func (b *batch) enter(weight int, columns ...*stats.Dist) {
	for i, d := range columns {
		d.AddColumn(b.list, i, weight)
	}
	b.list = b.list[:0]
}
