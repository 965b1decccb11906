package engine

import (
	"context"
	"math"
	"runtime"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

const (
	// groupSize is how many segments at least are processed connection by connection: two
	// batches that are nearly full. With a thousand connections these are 8 segments of each, in
	// 2 MB.
	groupSize = batchSize * 3 / 2
	// smallBatch is how many segments a batch holds if the tracker's goroutine also
	// reads. They are so few that they are still in a near cache when they are tracked.
	smallBatch = 512
)

// Track reads the captures and offers every connection to the modules of o; it computes
// no metrics. The document has only the captures and warnings. If a capture is damaged or
// ctx ends, it comes with a [DamageError].
func Track(ctx context.Context, o Options) (*report.Document, error) {
	r, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	table := conn.NewTable(conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState}, o.Modules...)
	stopped := r.track(ctx, table)
	table.Finish()
	return r.document(table), r.outcome(stopped)
}

// track gives every segment of the captures to the table, in order. It returns the
// error that ended the reading early, if any: that of the context or of a read.
func (r *reader) track(ctx context.Context, table *conn.Table) error {
	defer r.decoder.Finish()
	t := tracker{table: table, giveBack: r.giveBack, inOrder: r.options.needsOrder()}
	defer t.flush()
	return r.eachBatch(ctx, t.add)
}

// needsOrder reports whether packets are taken in the order of the capture, even where several
// connections are active. Rows and modules need that, and so does what compares connections: at its
// bound the first ones count.
func (o *Options) needsOrder() bool {
	return o.inOrder || o.Rows != nil || len(o.Modules) > 0 || o.Fairness
}

// readsAndTracks reports whether one goroutine reads and tracks. A segment then stays
// with one processor, which saves a tenth of the CPU time. It is useful if the other
// processors analyse other captures, and if there is only one processor.
func (o *Options) readsAndTracks() bool { return o.OneGoroutine || runtime.GOMAXPROCS(0) == 1 }

// goroutines returns how many packets of different connections are processed at the same time.
// The reader needs less time than they and mostly waits, so its processor is free then. Where
// little is measured, the reader needs more time, and one goroutine keeps up with it.
func (o *Options) goroutines() int {
	if o.readsAndTracks() || o.Detail == report.Lines || o.Omit == catalogue.AllFamilies {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// tracker gives batches to the table, and back to the reader.
type tracker struct {
	table    *conn.Table
	giveBack func(*batch) // [reader.giveBack]
	inOrder  bool         // see [Options.needsOrder]

	held  []*batch           // batches that wait until there are groupSize segments; bounded by that
	parts [][]packet.Segment // the segments of held
	n     int                // number of segments in held
	spare []*batch           // batches that neither wait nor belong to the reader; bounded like held
}

// add gives a batch to the table, or holds it until there are groupSize segments.
func (t *tracker) add(b *batch) {
	t.table.BeginBatch()
	if t.inOrder || !t.table.GroupingPays() {
		t.flush()
		t.table.Segments(b.segs[:b.n], math.MaxInt64)
		t.giveBack(b)
		return
	}
	t.held, t.parts, t.n = append(t.held, b), append(t.parts, b.segs[:b.n]), t.n+b.n
	if t.n >= groupSize || len(b.payload) > 0 { // payload takes more memory
		t.flush()
	}
	t.giveBack(t.emptyBatch(len(b.segs)))
}

// emptyBatch returns a batch for the reader in place of one with room for n segments that is held.
func (t *tracker) emptyBatch(n int) *batch {
	last := len(t.spare) - 1
	if last < 0 {
		return newBatch(n)
	}
	b := t.spare[last]
	t.spare = t.spare[:last]
	return b
}

// flush gives the batches that are held to the table.
func (t *tracker) flush() {
	if len(t.held) > 0 {
		t.table.SegmentsByConn(t.parts...)
	}
	t.spare = append(t.spare, t.held...)
	t.held, t.parts, t.n = t.held[:0], t.parts[:0], 0
}
