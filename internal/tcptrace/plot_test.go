package tcptrace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// draw plays a script with graphs and returns the files by name.
func draw(t *testing.T, script ...scriptPacket) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "graphs")
	g, err := NewGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pair{graphs: g.pair("10.0.0.1:1000", "10.0.0.2:80")}
	for i, x := range script {
		p.add(x.segment(uint64(i+1)), x.from)
	}
	p.graphs.close()
	if err := g.Finish(); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(text)
	}
	return out
}

func TestTimeSequence(t *testing.T) {
	got := draw(t, handshake...)
	want := `timeval double
title
10.0.0.1:1000_==>_10.0.0.2:80 (time sequence graph)
xlabel
time
ylabel
sequence number
white
orange
diamond 0.000000 1000
atext 0.000000 1001
SYN
uarrow 0.000000 1001
line 0.000000 1000 0.000000 1001
white
darrow 0.020000 1001
uarrow 0.020000 1001
go
`
	if diff := cmp.Diff(want, got["a2b_tsg.xpl"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, name := range []string{"b2a_tsg.xpl", "a2b_owin.xpl", "a2b_rtt.xpl", "a2b_tput.xpl"} {
		if got[name] == "" {
			t.Errorf("no %s among %d files", name, len(got))
		}
	}
}

// TestTimeLine: the SYN had a round trip of 20 ms, so the client's second
// packet arrives at 20 + 20/3 ms; the server had none yet.
func TestTimeLine(t *testing.T) {
	got := draw(t, handshake...)["a_b_tline.xpl"]
	want := `line 40 -0.000000 40 -0.020000
line 60 -0.000000 60 -0.020000
orange
line 60 -0.020000 40 -0.020000
larrow 40 -0.020000
white
rtext 60 -0.020000
SYN 5000:5000(0) ack 1001 win 4000 
line 40 -0.000000 40 -0.026666
line 60 -0.000000 60 -0.026666
green
line 40 -0.020000 60 -0.026666
rarrow 60 -0.026666
white
ltext 40 -0.020000
1001:1001(0) ack 5001 win 4000 
go
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("want at the end\n%s\ngot\n%s", want, got)
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
