package metrics

import "mpanalyze/internal/stats"

// Rate measures octets over time, in Mbit/s. The average is over the active
// time, first to last octet; the distribution is over the whole cells of the
// grid, the last, partial one left out.
type Rate struct {
	Cells stats.Dist // Mbit/s

	cell        int64 // ns
	bytes       int64
	first, last int64
	origin      int64 // start of the grid
	open        int64 // octets in the open cell
	openAt      int64 // start of the open cell
	closeAt     int64 // end of it
	begun       bool
	anchored    bool
}

// cellSink is told each cell as it ends.
type cellSink interface{ flushRate(at int64, mbps float64) }

// anchor sets the start of the grid, once.
func (r *Rate) anchor(at int64) {
	if !r.anchored {
		r.origin, r.anchored = at, true
	}
}

// Avg returns octets over active time; ok is false where that time is 0.
func (r *Rate) Avg() (mbps float64, ok bool) {
	if r.last <= r.first {
		return 0, false
	}
	return rate(r.bytes, r.last-r.first), true
}

// Active returns the active time in nanoseconds.
func (r *Rate) Active() int64 { return r.last - r.first }

// Bytes returns the octets measured.
func (r *Rate) Bytes() int64 { return r.bytes }

func rate(octets, ns int64) float64 { return float64(octets) * 8e3 / float64(ns) }

// add counts n octets at time t, unless that lies outside the time looked at.
func (r *Rate) add(t, n int64, looked span, sink cellSink) {
	if !looked.holds(t) {
		return
	}
	if t >= r.closeAt || !r.begun {
		r.advance(t, sink)
	}
	r.open += n
	r.bytes += n
	if t > r.last {
		r.last = t
	}
}

// advance opens the cell of time t.
func (r *Rate) advance(t int64, sink cellSink) {
	if !r.begun {
		r.begun = true
		r.first = t
		r.openAt = r.origin + (t-r.origin)/r.cell*r.cell
	}
	if t-r.openAt >= r.cell {
		r.roll(t, sink)
	}
	r.closeAt = r.openAt + r.cell
}

// roll ends the open cell and the empty ones up to t.
func (r *Rate) roll(t int64, sink cellSink) {
	v := rate(r.open, r.cell)
	r.Cells.Add(v)
	sink.flushRate(r.openAt, v)
	r.openAt += r.cell
	r.open = 0
	if n := (t - r.openAt) / r.cell; n > 0 {
		r.Cells.AddRepeated(0, n)
		for i := range min(n, maxEmptyCells) {
			sink.flushRate(r.openAt+i*r.cell, 0)
		}
		r.openAt += n * r.cell
	}
}

// maxEmptyCells bounds the zeros that one pause writes to a series: a day
// without data would else write a million.
const maxEmptyCells = 36000

// close hands the last, partial cell to the series, divided by its covered
// part; it takes no part in the statistics.
func (r *Rate) close(sink cellSink) {
	if r.begun && r.last > r.openAt {
		sink.flushRate(r.openAt, rate(r.open, r.last-r.openAt))
	}
}

// Bursts are the runs of consecutive data sequence numbers on one subflow.
type Bursts struct {
	Bytes    stats.Dist
	Duration stats.Dist // ms

	bytes, first, last int64
}

// extend adds octets to the open run.
func (b *Bursts) extend(n, now int64) {
	if b.bytes == 0 {
		b.first = now
	}
	b.bytes += n
	b.last = now
}

// close ends the open run.
func (b *Bursts) close() {
	if b.bytes > 0 {
		b.Bytes.Add(float64(b.bytes))
		b.Duration.Add(ms(b.last - b.first))
		b.bytes = 0
	}
}
