package tcptrace

import "testing"

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
