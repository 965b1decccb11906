package engine

import (
	"context"
	"runtime"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
)

// run gives every segment of the captures to the table, in order, and returns
// what ended it before the end of the captures: the context or a failing read.
func (p *pipeline) run(ctx context.Context, table *conn.Table) (failure error) {
	defer p.decoder.Finish()
	t := tracking{table: table, free: p.free, inOrder: p.options.inOrder || p.options.Rows != nil || len(p.options.Modules) > 0}
	defer t.finish()
	if p.options.together() {
		p.room = fewSegments
		return p.read(ctx, t.take)
	}
	go func() {
		defer close(p.full)
		defer crash.Catch()
		failure = p.read(ctx, func(b *batch) { p.full <- b })
	}()
	for b := range p.full {
		t.take(b)
	}
	return failure
}

// together reports whether the goroutine that tracks reads as well. A segment then
// stays with one processor, which saves a tenth of the CPU time, and nobody waits
// for anybody: that is for where the other processors have something else to do,
// and where there is but one.
func (o *Options) together() bool { return o.alone || runtime.GOMAXPROCS(0) == 1 }

// fewSegments is how many segments are in a batch that goes nowhere: they are still
// in a near cache when they are tracked.
const fewSegments = 512
