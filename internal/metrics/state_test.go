package metrics

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gotest.tools/v3/assert"

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
	runtime.GC() // after the first one, pools still hold memory
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// stateOf returns the bytes that the table, and the figures if they are measured, keep for
// each of n open connections of two subflows that carried so many packets of data.
func stateOf(t *testing.T, n, data int, measured bool) (bytes, said int64) {
	t.Helper()
	open := 0
	modules := []conn.Module{memories{&said}}
	if measured {
		modules = append(modules, NewCollector(Config{Interval: DefaultInterval, QoE: DefaultQoE}, func(m *Connection) {
			if len(m.Subs) == 2 && m.Conn.Kind == conn.Multipath {
				open++
			}
		}))
	}
	table := conn.NewTable(conn.Options{}, modules...)
	decoder := decode.New(decode.Options{KeepDuplicates: true})
	before := inUse()
	for i := range n {
		feed(t, table, decoder, i, data)
	}
	used := inUse() - before
	table.Finish()
	assert.Assert(t, !measured || open == n, "%d connections of two subflows are open, want %d", open, n)
	return used / int64(n), said / int64(n)
}

// memories adds up what connections say that they take when they are closed.
type memories struct{ sum *int64 }

func (m memories) Open(c *conn.Conn) conn.Observer { return &memory{sum: m.sum, conn: c} }

type memory struct {
	conn.Nop
	sum  *int64
	conn *conn.Conn
}

func (m *memory) Close(int64) { *m.sum += m.conn.Memory() }

// feed gives a table the packets of the i-th session, between a pair of hosts of its own,
// that carries so many packets of data. It begins when the one before is over.
func feed(t *testing.T, table *conn.Table, decoder *decode.Decoder, i, data int) {
	t.Helper()
	var seg packet.Segment
	all := carrying(data, uint64(i)).Packets(tracegen.HostB)
	start := int64(i) * (all[len(all)-1].Time - all[0].Time + 1e9)
	for k := range all {
		frame, wire := all[k].AppendFrame(nil, tracegen.LinkRaw)
		raw := capture.Raw{Num: uint64(i*len(all) + k + 1), Time: start + all[k].Time, WireLen: wire, Link: capture.LinkRaw, Data: frame}
		if got := decoder.Decode(&raw, &seg); got != decode.TCP {
			t.Fatalf("packet %d: %v", k+1, got)
		}
		for _, e := range []*packet.Endpoint{&seg.Src, &seg.Dst} {
			e.Addr[12], e.Addr[13] = byte(10+i>>8), byte(i)
		}
		table.Segment(&seg)
	}
}

// carrying is a session of two paths that carry so many packets of data in turn, of
// which every second one on each path is acknowledged.
func carrying(packets int, seed uint64) *tracegen.Session {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1, Keys: [2]uint64{2*seed + 1, 2*seed + 2}})
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range packets {
		path := fast
		if i%2 == 1 {
			path = slow
		}
		sent := path.Data(tracegen.A2B, time.Second+time.Duration(i)*msec+time.Duration(r.IntN(500))*time.Microsecond, int64(1400*i), 1400)
		if i%4 >= 2 {
			path.Ack(tracegen.B2A, sent.ArrivesAt())
		}
	}
	return s
}

// The table uses an estimate of the memory of a connection to bound the memory of all. The
// estimate is at least seven eighths of the true value, and not many times as much.
func TestMemoryOfConnection(t *testing.T) {
	for _, c := range []struct{ n, data int }{{500, 0}, {50, 100}, {50, 400}, {10, 2000}, {5, 10000}} {
		is, said := stateOf(t, c.n, c.data, true)
		t.Logf("%d packets of data: %d bytes, said to be %d", c.data, is, said)
		assert.Check(t, said >= is-is/8 && said <= 4*is, "%d packets of data: a connection takes %d bytes, and says %d", c.data, is, said)
	}
}

// A connection of two subflows takes 12 kB before its first data, of which 3 are for
// its figures, and 121 and 68 kB when it has carried 400 packets. The maps of the
// table count too, which double as they grow.
func TestStateOfConnection(t *testing.T) {
	for _, c := range []struct{ n, data, whole, figures int64 }{{500, 0, 13 << 10, 3400}, {50, 400, 124 << 10, 69 << 10}} {
		with, _ := stateOf(t, int(c.n), int(c.data), true)
		without, _ := stateOf(t, int(c.n), int(c.data), false)
		t.Logf("%d packets of data: %d bytes for each connection, %d of them for its figures", c.data, with, with-without)
		if with > c.whole || with-without > c.figures {
			t.Errorf("%d packets of data: %d bytes for each connection, %d of them for its figures, want %d and %d",
				c.data, with, with-without, c.whole, c.figures)
		}
	}
}
