package metrics

import "mpanalyze/internal/stats"

// Rate measures bytes over time, in Mbit/s. The average is over the active time, from
// the first to the last byte. The distribution is over the whole cells of the grid,
// without the last, partial cell.
type Rate struct {
	Cells stats.Dist // Mbit/s

	open        int64  // bytes in the open cell
	openAt      int64  // start of the open cell, ns
	width       uint64 // length of the open cell, ns; 0 before the first byte
	first, last int64  // times of bytes
	ended       int64  // bytes in the cells that have ended
	grid        *grid
	sink        cellSink
}

// grid divides time into cells, which all rates of one direction share.
type grid struct {
	origin int64 // time of the first data, ns
	cell   int64 // ns

	// The latest gap of the capture, ns: the series have no cell that holds a part of it.
	gapFrom, gapTo int64
}

// holdsGap reports whether a part of the gap lies in the cell that begins at the time at.
func (g *grid) holdsGap(at int64) bool { return g.gapFrom < at+g.cell && at < g.gapTo }

// cellSink gets the cells when they end.
type cellSink interface {
	// flushRate gets a cell with data.
	flushRate(at int64, mbps float64)
	// flushEmpty gets n cells of one length without data, of which the first begins at the
	// time at. Its cost must not grow with n where nobody wants the cells.
	flushEmpty(at, cell, n int64)
}

// Avg returns bytes over active time; ok is false where that time is 0.
func (r *Rate) Avg() (mbps float64, ok bool) {
	if r.last <= r.first {
		return 0, false
	}
	return rate(r.Bytes(), r.last-r.first), true
}

// Active returns the active time in nanoseconds.
func (r *Rate) Active() int64 { return r.last - r.first }

// Last returns the time of the last byte, ns; 0 for none.
func (r *Rate) Last() int64 { return r.last }

// Bytes returns the bytes measured.
func (r *Rate) Bytes() int64 { return r.ended + r.open }

func rate(bytes, ns int64) float64 { return float64(bytes) * 8e3 / float64(ns) }

// add counts n bytes at time t. The caller checks that t lies in the time that is
// looked at. A time before the open cell counts in the open cell.
func (r *Rate) add(t, n int64) {
	if uint64(t-r.openAt) >= r.width {
		r.advance(t)
	}
	r.open += n
	r.last = max(r.last, t)
}

// advance opens the cell of time t.
func (r *Rate) advance(t int64) {
	cell := r.grid.cell
	if r.width == 0 {
		r.width = uint64(cell)
		r.first = t
		r.openAt = r.grid.origin + (t-r.grid.origin)/cell*cell
	}
	if t-r.openAt >= cell {
		r.roll(t, cell)
	}
}

// roll ends the open cell and the empty ones up to t.
func (r *Rate) roll(t, cell int64) {
	v := rate(r.open, cell)
	r.Cells.Add(v)
	if !r.grid.holdsGap(r.openAt) {
		r.sink.flushRate(r.openAt, v)
	}
	r.openAt += cell
	r.ended, r.open = r.ended+r.open, 0
	if n := (t - r.openAt) / cell; n > 0 {
		r.Cells.AddRepeated(0, n)
		r.flushEmpty(cell, n)
		r.openAt += n * cell
	}
}

// flushEmpty hands over n cells without data, but not those that hold a part of the gap.
func (r *Rate) flushEmpty(cell, n int64) {
	before, after := n, n // cells that end before the gap; cells up to its end
	if end := r.openAt + n*cell; r.grid.gapFrom < end && r.openAt < r.grid.gapTo {
		before = min(n, max(0, (r.grid.gapFrom-r.openAt)/cell))
		after = min(n, (r.grid.gapTo-r.openAt+cell-1)/cell)
	}
	if before > 0 {
		r.sink.flushEmpty(r.openAt, cell, before)
	}
	if n > after {
		r.sink.flushEmpty(r.openAt+after*cell, cell, n-after)
	}
}

// close hands the last, partial cell to the series: its bytes divided by the time that
// it covers. The statistics do not include it. A cell that is covered for less than
// half is left out, because a few packets in a short time would look like a peak.
func (r *Rate) close() {
	if r.width > 0 && 2*(r.last-r.openAt) >= r.grid.cell && !r.grid.holdsGap(r.openAt) {
		r.sink.flushRate(r.openAt, rate(r.open, r.last-r.openAt))
	}
}
