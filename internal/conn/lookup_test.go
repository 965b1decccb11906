package conn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// endpoint returns an address and a port; the address is IPv4 if head is empty.
func endpoint(head string, last byte, port uint16) (e packet.Endpoint) {
	e.Port = port
	e.Addr = [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: last}
	if head != "" {
		copy(e.Addr[:12], head)
		e.Addr[10], e.Addr[11] = 0, 0
	}
	return e
}

// The lookup cache distinguishes directions with the same short form: by the version of IP,
// and by the network part of addresses.
func TestLookup(t *testing.T) {
	table := NewTable(Options{})
	var segs []packet.Segment
	for _, head := range []string{"", "one", "other"} {
		s := packet.Segment{Src: endpoint(head, 1, 1000), Dst: endpoint(head, 2, 80), IPv6: head != "", Flags: packet.SYN, Seq: 7, Window: 1}
		back := packet.Segment{Src: s.Dst, Dst: s.Src, IPv6: s.IPv6, Flags: packet.SYN | packet.ACK, Ack: 8, Window: 1}
		segs = append(segs, s, back)
	}
	for i := range segs {
		segs[i].Num, segs[i].Time = uint64(i+1), int64(i+1)
		table.Segment(&segs[i])
	}
	assert.Assert(t, table.open.n == 3, "%d connections, want one for each pair of addresses", table.open.n)
	r := rand.New(rand.NewPCG(6, 7))
	for range 200 {
		i := r.IntN(len(segs))
		s := &segs[i]
		k := key{s.Src, s.Dst}
		d := table.cache.find(table.flows, k, s)
		if d != table.flows.direction(k) || d.Conn != openOf(table)[i/2] || d.From != Side(i%2) {
			t.Fatalf("packet %d: connection %d from %v", i, d.Conn.Order, d.From)
		}
		assert.Assert(t, table.cache.lookup(s) == d, "packet %d is not in the cache", i)
		for j := i % 2; j < len(segs); j += 2 { // directions that have the same place in the cache
			if got := table.cache.lookup(&segs[j]); got != nil && i != j {
				t.Fatalf("the line of packet %d is that of packet %d, too", i, j)
			}
		}
	}
	table.cache.forget(key{segs[0].Src, segs[0].Dst})
	for i := range segs[:2] {
		if table.cache.lookup(&segs[i]) != nil {
			t.Errorf("packet %d is still in the cache", i)
		}
	}
}

// A packet may show that a connection is over. That connection does not get the next
// packet, although it was looked up before.
func TestGoneAfterLookup(t *testing.T) {
	for name, rare := range map[string]uint8{"behind a usual packet": 0, "behind another": 4} {
		t.Run(name, func(t *testing.T) {
			table := NewTable(Options{})
			s, f, at := opened(tracegen.Config{Version: 1})
			f.Data(a2b, at, 0, 1000)
			f.Ack(b2a, at+50*ms)
			segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
			var last [2]packet.Segment
			for k := range last {
				for _, s := range segs {
					s.Src.Port += uint16(k)
					s.Dst.Port += uint16(k)
					table.Segment(&s)
					last[k] = s
				}
			}
			gone := openOf(table)[0]
			gone.Fastclosed = true
			last[0].Time += joinWait + 2
			last[1].Time += joinWait + 1
			last[1].OtherLen = rare
			before := gone.Subflows[0].Senders[B].Packets
			if next := []packet.Segment{last[1], last[0]}; table.Segments(next, math.MaxInt64) != len(next) || !gone.finished {
				t.Fatal("the connection is not over")
			}
			if got := gone.Subflows[0].Senders[B].Packets; got != before {
				t.Errorf("it has %d packets, want %d", got, before)
			}
		})
	}
}
