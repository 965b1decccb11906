package metrics

import (
	"runtime"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// inUse returns the bytes of the heap that are reachable.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one leaves what pools let go
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// stateOf returns the bytes that the table and the figures keep of each of n open
// connections of two subflows without data.
func stateOf(t *testing.T, n int) int64 {
	t.Helper()
	open := 0
	table := conn.NewTable(conn.Options{}, NewCollector(Config{Interval: DefaultInterval, QoE: DefaultQoE}, func(m *Connection) {
		if len(m.Subs) == 2 && m.Conn.Kind == conn.Multipath {
			open++
		}
	}))
	decoder := decode.New(decode.Options{KeepDuplicates: true})
	var seg packet.Segment
	before := inUse()
	for i := range n {
		s, _, _ := twoPaths(tracegen.Config{Version: 1, Keys: [2]uint64{uint64(2*i + 1), uint64(2*i + 2)}})
		all := s.Packets(tracegen.HostB)
		for k := range all {
			frame, wire := all[k].AppendFrame(nil, tracegen.LinkRaw)
			raw := capture.Raw{Num: uint64(i*len(all) + k + 1), Time: all[k].Time, WireLen: wire, Link: capture.LinkRaw, Data: frame}
			if got := decoder.Decode(&raw, &seg); got != decode.TCP {
				t.Fatalf("packet %d: %v", k+1, got)
			}
			for _, e := range []*packet.Endpoint{&seg.Src, &seg.Dst} { // a pair of hosts for each session
				e.Addr[12], e.Addr[13] = byte(10+i>>8), byte(i)
			}
			table.Segment(&seg)
		}
	}
	used := inUse() - before
	table.Finish()
	if open != n {
		t.Fatalf("%d connections of two subflows are open, want %d", open, n)
	}
	return used / int64(n)
}

// A connection of two subflows takes 16 kB before its first data. The maps of the
// table count too, which double as they grow.
func TestStateOfIdleConnection(t *testing.T) {
	if got := stateOf(t, 500); got > 17<<10 {
		t.Errorf("%d bytes for each connection", got)
	}
}
