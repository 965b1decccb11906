package engine_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// liveHeap returns the bytes that are reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // after the first one, finalizers and pools still hold memory
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// probe reads a capture and calls at when each part of it was read.
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

// A capture without an end comes from a pipe. The memory of the analysis must not grow with
// it, whatever is asked for.
func TestEndlessCapture(t *testing.T) {
	const packets = 400_000 / scale
	r, w := io.Pipe()
	var quarter, end uint64
	go func() {
		writeEdited(t, w, packets, func(n int, _ *tracegen.Packet) bool {
			switch n {
			case packets / 4:
				quarter = liveHeap()
			case packets:
				end = liveHeap()
			}
			return true
		})
		w.Close()
	}()
	got := analyzeWith(t, everything(r), &rowCheck{})
	if got.err != nil || got.doc.Captures[0].Packets != int64(packets) || got.rows < packets/2 {
		t.Fatalf("%d packets, %d rows, %v", got.doc.Captures[0].Packets, got.rows, got.err)
	}
	// Histograms still get values in rows that they did not have; six bytes per packet
	// would be noticed. A short capture ends before batches and distributions have their
	// final sizes, so it proves nothing.
	assert.Check(t, scale != 1 || end <= quarter+3<<19, "the heap has %d bytes after %d packets and %d after %d", quarter, packets/4, end, packets)
}

// If half of the traffic is missing in the capture, or contradicts the other half, state
// that waits for an answer must not wait without limit. At the end all memory together must
// be far below that of a session.
func TestEndlessDisturbedCapture(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	fromB := func(p *tracegen.Packet) bool { return p.Src.Port() == 443 }
	second := netip.AddrFrom4([4]byte{192, 0, 2, 2}) // the client's on its second path
	path2 := func(p *tracegen.Packet) bool { return p.Src.Addr() == second || p.Dst.Addr() == second }
	const established = 40 // packets
	tests := []struct {
		name string
		edit func(p *tracegen.Packet) bool // edits a packet, or leaves it out
	}{
		{"no acknowledgments", fromB},
		{"no data", func(p *tracegen.Packet) bool { return !fromB(p) }},
		{"one path is one-way", func(p *tracegen.Packet) bool { return fromB(p) || !path2(p) }},
		{"one path has no data", func(p *tracegen.Packet) bool { return !fromB(p) || !path2(p) }},
		{"one packet in fifty", func(p *tracegen.Packet) bool { return rng.IntN(50) > 0 }},
		{"data sequence jumps", func(p *tracegen.Packet) bool { return scramble(p, rng) }},
		{"acknowledgments stand", func(p *tracegen.Packet) bool { p.Ack = 0xfff00001; return true }},
		{"sequence numbers jump", func(p *tracegen.Packet) bool { p.Seq = seq.Wire(rng.Uint32()); return true }},
		{"options vanish", func(p *tracegen.Packet) bool { p.Options = nil; return true }},
	}
	for _, tt := range testrun.Sample(tests) {
		t.Run(tt.name, func(t *testing.T) {
			packets := testrun.Cases(400_000 / scale)
			r, w := io.Pipe()
			var end uint64
			go func() {
				writeEdited(t, w, packets, func(n int, p *tracegen.Packet) bool {
					if n == packets {
						end = liveHeap()
					}
					return n <= established || tt.edit(p)
				})
				w.Close()
			}()
			if got := analyzeWith(t, everything(r), &rowCheck{}); got.err != nil || got.doc.Captures[0].Packets < int64(packets/4) {
				t.Fatalf("%+v, %v", got.doc.Captures[0], got.err)
			}
			assert.Check(t, end <= 48<<20, "the heap has %d bytes after %d packets", end, packets)
		})
	}
}

// scramble changes bytes of the last option, which is the DSS option.
func scramble(p *tracegen.Packet, rng *rand.Rand) bool {
	if len(p.Options) >= 30 {
		p.Options = slices.Clone(p.Options)
		p.Options[len(p.Options)-4-rng.IntN(12)] = byte(rng.Uint32())
	}
	return true
}

// establishedSession is the capture of a transfer.
func establishedSession(t testing.TB, packets int) []byte {
	var b bytes.Buffer
	writeEdited(t, &b, packets, func(int, *tracegen.Packet) bool { return true })
	return b.Bytes()
}

// Once a session is established, no packet allocates memory. This decides the speed, and
// keeps it constant in long captures.
func TestNoAllocationPerPacket(t *testing.T) {
	const packets = 240_000 / scale
	file := establishedSession(t, packets)
	tests := map[string]engine.Options{
		"basics":       {Connection: engine.AllConnections, Omit: catalogue.AllFamilies},
		"all the rows": everything(nil),
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			// At most 40,000 packets wait for something.
			in := &probe{r: bytes.NewReader(file), part: len(file) / 6, at: func() { runtime.ReadMemStats(&before) }}
			o.Paths, o.Stdin = []string{"-"}, io.MultiReader(in, &probe{r: bytes.NewReader(nil), at: func() { runtime.ReadMemStats(&after) }})
			got := analyzeWith(t, o, &rowCheck{})
			if got.err != nil || got.doc.Captures[0].Packets != packets {
				t.Fatalf("%+v, %v", got.doc.Captures[0], got.err)
			}
			perPacket := float64(after.Mallocs-before.Mallocs) / (packets * 5 / 6)
			t.Logf("%.5f allocations and %.2f bytes per packet", perPacket, float64(after.TotalAlloc-before.TotalAlloc)/(packets*5/6))
			assert.Check(t, perPacket <= 0.01*scale, "%.4f allocations per packet", perPacket)
		})
	}
}

// writeEdited writes a transfer of so many packets as a capture: what edit returns true for, after it
// could change it.
func writeEdited(t testing.TB, w io.Writer, packets int, edit func(n int, p *tracegen.Packet) bool) {
	assert.Check(t, tracegen.WriteTransfer(w, packets, edit))
}
