package engine

import (
	"context"
	"math"
	"runtime"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
)

// run gives every segment of the captures to the table, in order, and returns
// what ended it before the end of the captures: the context or a failing read.
func (p *pipeline) run(ctx context.Context, table *conn.Table) (failure error) {
	defer p.decoder.Finish()
	if p.options.together() {
		p.room = fewSegments
		return p.read(ctx, here{table, p.free})
	}
	go func() {
		defer close(p.full)
		defer crash.Catch()
		failure = p.read(ctx, alone(p.full))
	}()
	for b := range p.full {
		table.Segments(b.segs[:b.n], math.MaxInt64)
		p.free <- b
	}
	return failure
}

// together reports whether the goroutine that tracks reads as well. A segment then
// stays with one processor, which saves a tenth of the CPU time, and nobody waits
// for anybody: that is for where the other processors have something else to do,
// and where there is but one. With rows reading is a fifth of the work, and on two
// processors, which often share a core, the capture takes no longer for it.
func (o *Options) together() bool {
	n := runtime.GOMAXPROCS(0)
	return o.trackers == 1 || n == 1 || n == 2 && o.Rows != nil
}

// fewSegments is how many segments are in a batch that goes nowhere: they are still
// in a near cache when they are tracked.
const fewSegments = 512

// alone takes batches for the only tracker.
type alone chan *batch

func (alone) begin(*batch)    {}
func (alone) grown(*batch)    {}
func (a alone) pass(b *batch) { a <- b }

// here tracks batches in the reader's goroutine.
type here struct {
	table *conn.Table
	free  chan<- *batch
}

func (here) begin(*batch) {}
func (here) grown(*batch) {}
func (h here) pass(b *batch) {
	h.table.Segments(b.segs[:b.n], math.MaxInt64)
	h.free <- b
}
