package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

// arrive plays chunks of 100 bytes that reach B in the order given, one each millisecond;
// their numbers are their places in the data, from 1.
func arrive(t *testing.T, order ...int) *measured {
	t.Helper()
	s, f := onePath(tracegen.Config{Version: 1})
	for i, k := range order {
		f.Data(tracegen.A2B, time.Duration(100+i)*msec, int64(100*(k-1)), 100)
	}
	return measure(t, s, tracegen.HostB, Config{Interval: 100 * msec})
}

// TestReorderedTogether: three chunks wait for a mapping that only the last of them
// carries. They become known together after the next 100 bytes arrived. None of them
// arrived above the others.
func TestReorderedTogether(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	fast.Data(tracegen.A2B, 1000*msec, 300, 100)
	m := slow.Map(tracegen.A2B, 0, 300)
	for i := range 3 {
		x := m.Send(time.Duration(1000+i)*msec, 100*i, 100)
		if i < 2 {
			x.Edit(func(p *tracegen.Packet) { p.Options = nil })
		}
	}
	o := measure(t, s, tracegen.HostB, Config{Interval: 100 * msec}).Dir(conn.A).Order()
	assert.Check(t, o.Firsts == 4 && o.Reordered == 3, "%d of %d reordered, want 3 of 4", o.Reordered, o.Firsts)
	dist(t, "extent in chunks", o.ExtentChunks.Dist(), 3, 2, 1, 3)
	dist(t, "extent in bytes", &o.ExtentBytes, 3, 100, 100, 100)
}

// TestDSNOffset: chunks 1 2 4 3 5 of 100 bytes; the offset of a chunk that continues the
// one before is the length of that one.
func TestDSNOffset(t *testing.T) {
	m := arrive(t, 1, 2, 4, 3, 5)
	o := m.Dir(conn.A).Order()
	values, _ := m.series(seriesDSNOffset, -1, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{100, 200, -100, 200}))
	dist(t, "dsn_offset", &o.Offset, 4, (100+200-100+200)/4., -100, 200)
	near(t, "peak", o.Peak, 200)
	if o.Discontinuous != 3 { // 4 after 2, 3 after 4, 5 after 3
		t.Errorf("%d discontinuous, want 3", o.Discontinuous)
	}
}

// TestCopiesInTheOrder: a copy counts for the offset and not for reordering.
func TestCopiesInTheOrder(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	fast.Data(tracegen.A2B, 1000*msec, 0, 100)
	fast.Data(tracegen.A2B, 1001*msec, 100, 100)
	x := slow.Data(tracegen.A2B, 1002*msec, 0, 100) // a reinjection
	x.Again(1100 * msec)                            // and its retransmission
	o := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Dir(conn.A).Order()
	assert.Check(t, o.Chunks == 4 && o.Firsts == 2 && o.Reordered == 0, "%d chunks, %d first, %d reordered; want 4, 2, 0", o.Chunks, o.Firsts, o.Reordered)
	dist(t, "dsn_offset", &o.Offset, 3, 0, -100, 100) // 100, -100, and 0 of the copy's copy
}

// TestPartlyNew: only the new part of segments that begin with old data counts, in order
// (100 bytes after the first 100) or late (200 to 300, after 300 to 400).
func TestPartlyNew(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	fast.Data(tracegen.A2B, 1000*msec, 0, 100)
	slow.Data(tracegen.A2B, 1001*msec, 0, 200)
	fast.Data(tracegen.A2B, 1002*msec, 300, 100)
	slow.Data(tracegen.A2B, 1003*msec, 100, 200)
	o := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Dir(conn.A).Order()
	assert.Check(t, o.Chunks == 4 && o.Firsts == 4 && o.Reordered == 1, "%d chunks, %d first, %d reordered; want 4, 4, 1", o.Chunks, o.Firsts, o.Reordered)
	dist(t, "dsn_offset", &o.Offset, 3, (0+300-200)/3., -200, 300)
	dist(t, "extent in chunks", o.ExtentChunks.Dist(), 1, 1, 1, 1)
	dist(t, "extent in bytes", &o.ExtentBytes, 1, 100, 100, 100)
	dist(t, "lateness", &o.ExtentMS, 1, 1, 1, 1)
	// The buffer: none, none, then the last of the data, and none once the gap is closed.
	dist(t, "buffer", o.Buffer.Chunks.Dist(), 4, 1./4, 0, 1)
}

// TestOrderForgets: the state for late chunks is bounded. At the bound the earliest is
// forgotten, and an extent reaches no further. Each arrival leaves a gap of 10 bytes.
func TestOrderForgets(t *testing.T) {
	const n = maxDiscontinuities + 10
	c := &conn.Conn{}
	d := &DataDir{m: &Connection{Conn: c}, space: &c.Spaces[conn.A]}
	c.Spaces[conn.A].SetIDSN(1)
	o := &Order{d: d}
	for i := range n {
		p := piece(int64(1000+20*i), 10, uint64(i))
		o.piece(&SubflowDir{half: new(subflow.Sender)}, []dss.Piece{p}, int64(i))
	}
	assert.Check(t, len(o.discontinuities)-o.head <= maxDiscontinuities, "%d discontinuities, more than %d", len(o.discontinuities)-o.head, maxDiscontinuities)
	late := piece(0, 10, n)
	o.piece(&SubflowDir{half: new(subflow.Sender)}, []dss.Piece{late}, n)
	// The earliest that is left is arrival number n - maxDiscontinuities.
	near(t, "extent", o.ExtentChunks.Dist().Max(), maxDiscontinuities)
}
