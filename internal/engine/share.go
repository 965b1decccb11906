package engine

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
)

// Tracking takes most of the time, so two trackers take a part of the
// connections each, until packets come that need to be seen with all of them
// (see [conn.Sharing]). Both walk the same batches: the reader says which packets
// are whose, so that none is copied.

// parts says which segments of a batch are for which tracker.
type parts struct {
	of    [2][]conn.Given // bounded by batchSize
	ticks []tick          // one for each second of capture time; bounded by batchSize
	first int             // position of its first segment in the capture
	rest  int             // index of the first segment that is not shared out
	over  bool            // sharing ends there
	users atomic.Int32
}

// tick is a moment at which tables look for ended connections.
type tick struct {
	after [2]int // how many segments of each part come before it
	now   int64  // ns
}

// shares are two trackers at work on one capture.
type shares struct {
	*pipeline
	sharing *conn.Sharing // the reader's, until whole
	given   int           // segments so far
	whole   bool          // sharing has ended; to be read by others once full[1] is closed

	tables [2]*conn.Table
	full   [2]chan *batch
	second chan struct{} // closed when the second tracker is through
}

// track reads the captures into a table, which it finishes, or into two that
// become one, the second with a module of its own. It returns what ended the
// reading early.
func (p *pipeline) track(ctx context.Context, modules []conn.Module, second conn.Module) (*conn.Table, error) {
	opt := conn.Options{Vantage: vantage(p.options.Vantage)}
	if !p.options.shared() {
		table := conn.NewTable(opt, modules...)
		stop := p.run(ctx, table)
		table.Finish()
		return table, stop
	}
	x := &shares{pipeline: p, sharing: conn.NewSharing(), second: make(chan struct{})}
	for i, m := range [][]conn.Module{modules, {second}} {
		x.tables[i] = conn.NewShare(opt, m...)
		x.full[i] = make(chan *batch, 2*batches)
	}
	p.unmade += batches // a tracker that has many packets at once must not make the other wait
	return x.tables[0], x.run(ctx)
}

// shared reports whether two trackers are of use, and allowed: rows stand in
// the order of the packets, and a connection is selected by a number that is
// known only in the end.
func (o *Options) shared() bool {
	if o.trackers > 0 {
		return o.trackers == 2
	}
	return runtime.GOMAXPROCS(0) > 1 && o.Rows == nil && len(o.Modules) == 0 && o.Connection == AllConnections
}

// run reads and tracks, and leaves everything in the first table.
func (x *shares) run(ctx context.Context) error {
	var failure error
	go func() {
		defer crash.Catch()
		failure = x.read(ctx, x)
		if !x.whole {
			close(x.full[1])
		}
		close(x.full[0])
	}()
	go func() {
		defer close(x.second)
		defer crash.Catch()
		for b := range x.full[1] {
			x.take(b, 1)
			x.release(b)
		}
		if !x.whole {
			x.tables[1].Finish()
		}
	}()
	joined := false
	for b := range x.full[0] {
		x.take(b, 0)
		if b.parts.rest < b.n && !joined {
			joined = true
			x.join()
		}
		x.tables[0].Segments(b.segs[b.parts.rest:b.n], math.MaxInt64)
		x.release(b)
	}
	x.tables[0].Finish()
	if !joined {
		x.join()
	}
	x.decoder.Finish()
	return failure
}

// join makes the first table that of all connections.
func (x *shares) join() {
	<-x.second
	x.tables[0].Absorb(x.tables[1], x.sharing)
}

// begin, grown and pass share out the segments of a batch and pass it on.
func (x *shares) begin(b *batch) {
	p := b.parts
	if p == nil {
		p = new(parts)
		b.parts = p
	}
	p.of[0], p.of[1], p.ticks, p.first, p.rest = p.of[0][:0], p.of[1][:0], p.ticks[:0], x.given, 0
	p.over = x.whole
}

func (x *shares) grown(b *batch) { x.share(b, b.settled-maxOvertake) }

func (x *shares) pass(b *batch) {
	p := b.parts
	x.share(b, b.n)
	if x.whole {
		p.users.Store(1)
		x.full[0] <- b
		return
	}
	x.given += p.rest
	p.users.Store(2)
	x.full[0] <- b
	x.full[1] <- b
	if x.whole = p.rest < b.n; x.whole {
		close(x.full[1])
	}
}

// share gives out the segments of b up to end, unless sharing ends before.
func (x *shares) share(b *batch, end int) {
	p := b.parts
	if most := x.options.apart; most > 0 {
		end = min(end, most-x.given)
	}
	for !p.over && p.rest < end {
		n, ok := x.sharing.Give(b.segs[p.rest:end], p.rest, &p.of)
		p.rest, p.over = p.rest+n, !ok
		if now, due := x.sharing.Tick(); due {
			p.ticks = append(p.ticks, tick{[2]int{len(p.of[0]), len(p.of[1])}, now})
		}
	}
}

// take has one tracker take its part of b.
func (x *shares) take(b *batch, me int) {
	p, table, from := b.parts, x.tables[me], 0
	upTo := func(end int) {
		table.Part(p.first, b.segs[:], p.of[me][from:end])
		from = end
	}
	for i := range p.ticks {
		upTo(p.ticks[i].after[me])
		table.Sweep(p.ticks[i].now)
	}
	upTo(len(p.of[me]))
}

// release gives a batch back to the reader once all trackers are through.
func (x *shares) release(b *batch) {
	if b.parts.users.Add(-1) == 0 {
		x.free <- b
	}
}
