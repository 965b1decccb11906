package engine_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"mpanalyze/internal/engine"
)

// liveHeap returns the octets that are reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one leaves what finalizers and pools let go
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// probe reads through a capture and calls at as soon as a part of it was read.
type probe struct {
	r    io.Reader
	n    int
	part int
	at   func()
}

func (p *probe) Read(b []byte) (int, error) {
	if p.at != nil && p.n >= p.part {
		p.at()
		p.at = nil
	}
	n, err := p.r.Read(b)
	p.n += n
	return n, err
}

// A capture without an end comes from a pipe. What the analysis keeps of it must
// not grow with it, whatever is asked for.
func TestEndlessCapture(t *testing.T) {
	packets := 400_000
	if testing.Short() {
		packets = 100_000
	}
	r, w := io.Pipe()
	var quarter, end uint64
	go func() {
		writeTransfer(t, w, packets, func(n int) {
			switch n {
			case packets / 4:
				quarter = liveHeap()
			case packets:
				end = liveHeap()
			}
		})
		w.Close()
	}()
	got := analyzeWith(t, everything(r), &rowCheck{})
	if got.err != nil || got.doc.Captures[0].Packets != int64(packets) || got.rows < packets/2 {
		t.Fatalf("%d packets, %d rows, %v", got.doc.Captures[0].Packets, got.rows, got.err)
	}
	// Histograms still meet values in rows that they did not have; a byte
	// and a half per packet would be noticed.
	if end > quarter+uint64(packets) {
		t.Errorf("the heap has %d octets after %d packets and %d after %d", quarter, packets/4, end, packets)
	}
}

// capture of an established session, made once.
func establishedSession(t testing.TB, packets int) []byte {
	var b bytes.Buffer
	b.Grow(packets * 144)
	writeTransfer(t, &b, packets, func(int) {})
	return b.Bytes()
}

// From the time on when a session is established, no packet costs memory: it
// is what decides the speed, and keeps it the same on long captures.
func TestNoAllocationPerPacket(t *testing.T) {
	const packets = 240_000
	file := establishedSession(t, packets)
	tests := map[string]engine.Options{
		"report":        {Connection: engine.AllConnections},
		"all the rows":  everything(nil),
		"one direction": {Connection: 0, Direction: "b2a", Interval: everything(nil).Interval, Series: everything(nil).Series},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			// 40 000 packets are as many as have ever to wait for something.
			in := &probe{r: bytes.NewReader(file), part: len(file) / 6, at: func() { runtime.ReadMemStats(&before) }}
			o.Paths, o.Stdin = []string{"-"}, io.MultiReader(in, &probe{r: bytes.NewReader(nil), at: func() { runtime.ReadMemStats(&after) }})
			got := analyzeWith(t, o, &rowCheck{})
			if got.err != nil || got.doc.Captures[0].Packets != packets {
				t.Fatalf("%+v, %v", got.doc.Captures[0], got.err)
			}
			perPacket := float64(after.Mallocs-before.Mallocs) / (packets * 5 / 6)
			t.Logf("%.5f allocations and %.2f octets per packet", perPacket, float64(after.TotalAlloc-before.TotalAlloc)/(packets*5/6))
			if perPacket > 0.01 {
				t.Errorf("%.4f allocations per packet", perPacket)
			}
		})
	}
}

// BenchmarkAnalyze is the whole way from the octets of a capture to its report.
func BenchmarkAnalyze(b *testing.B) {
	const packets = 200_000
	file := establishedSession(b, packets)
	for name, o := range map[string]engine.Options{
		"report": {Connection: engine.AllConnections},
		"rows":   everything(nil),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				o.Paths, o.Stdin = []string{"-"}, bytes.NewReader(file)
				if got := analyzeWith(b, o, &rowCheck{}); got.err != nil {
					b.Fatal(got.err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/packets, "ns/packet")
		})
	}
}
