package tcptrace

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
)

// TestSubflowColour: xplot has eight colours, which subflows take in turns from 1 on.
func TestSubflowColour(t *testing.T) {
	for sub, want := range map[int]int{0: 1, 6: 7, 7: 0, 8: 1} {
		if got := subflowColour(sub); got != want {
			t.Errorf("subflow %d has colour %d, want %d", sub, got, want)
		}
	}
}

// TestEarlyEvents: of the events before any data the first 32 wait for it. Connections without Multipath TCP and
// other events have none.
func TestEarlyEvents(t *testing.T) {
	for _, c := range []struct {
		kind   conn.Kind
		event  conn.EventKind
		events int
		want   int
	}{{conn.Multipath, conn.EventReset, 31, 31}, {conn.Multipath, conn.EventFallback, 40, 32}, {conn.Requested, conn.EventReset, 3, 0}, {conn.Multipath, conn.EventAddAddrEcho, 3, 0}} {
		d := dataGraphs{conn: &conn.Conn{Kind: c.kind}}
		for range c.events {
			d.event(&conn.Event{Kind: c.event})
		}
		assert.Check(t, len(d.early) == c.want, "%d events %s of kind %d: %d wait, want %d", c.events, c.event, c.kind, len(d.early), c.want)
	}
}

func TestPlotAllocatesNothing(t *testing.T) {
	dir := newFolder(t, t.TempDir())
	p := newPlot(&dir, "x.xpl", "timeval double", "title", "x", "y")
	for len(p.buf) < bufferSize/2 { // grown, and not yet full
		p.object("dot", red, 0, 0)
	}
	if n := testing.AllocsPerRun(100, func() { p.object("line", red, 1e15, 5, 2e15, 7) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
