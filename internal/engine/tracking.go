package engine

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// stretch is how many segments are taken connection by connection where many
// connections are at work at once: some of each of a thousand, in 2 MB.
const stretch = 8192

// tracking gives batches to the table, and back to the reader.
type tracking struct {
	table   *conn.Table
	free    chan<- *batch
	inOrder bool // somebody is told of the packets who needs them in the order of the capture

	held  []*batch           // batches that wait for a stretch to be whole; bounded by stretch
	parts [][]packet.Segment // their segments
	n     int                // how many
	spare []*batch           // batches that nobody has; bounded like held
}

// take gives a batch to the table, or holds it until a stretch is whole.
func (t *tracking) take(b *batch) {
	if t.inOrder || !t.table.ManyActive() {
		t.finish()
		t.table.Segments(b.segs[:b.n], math.MaxInt64)
		t.free <- b
		return
	}
	t.held, t.parts, t.n = append(t.held, b), append(t.parts, b.segs[:b.n]), t.n+b.n
	if t.n >= stretch || len(b.payload) > 0 { // payload takes more memory
		t.finish()
	}
	t.free <- t.another()
}

// another returns a batch that the reader gets in place of one that is held.
func (t *tracking) another() *batch {
	n := len(t.spare)
	if n == 0 {
		return new(batch)
	}
	b := t.spare[n-1]
	t.spare = t.spare[:n-1]
	return b
}

// finish gives the batches that are held to the table.
func (t *tracking) finish() {
	if len(t.held) > 0 {
		t.table.SegmentsByConn(t.parts...)
	}
	t.spare = append(t.spare, t.held...)
	t.held, t.parts, t.n = t.held[:0], t.parts[:0], 0
}
