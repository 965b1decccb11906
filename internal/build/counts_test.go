package build_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/tracegen"
)

// onePath returns a session and its only subflow.
func onePath(ackEvery int) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: ackEvery})
	return s, s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
}

// twoPaths returns a session, in which each segment is acknowledged, and its two subflows. Each way of the
// second one takes so long, of the first one 10 ms.
func twoPaths(delay time.Duration) (s *tracegen.Session, f, g *tracegen.Subflow) {
	s, f = onePath(1)
	second := tracegen.Path{A: netip.MustParseAddrPort("10.0.2.1:40001"), B: netip.MustParseAddrPort("10.0.1.1:80"), Nonce: [2]uint32{1, 2}, Delay: [2]time.Duration{delay, delay}}
	return s, f, s.Subflow(second)
}

// TestRarePackets has packets that are not part of the stream: a keep-alive, whose sequence
// number is that of the last acknowledged byte; a packet half the sequence space away; and a
// segment that the network duplicates, 5 ms apart, which is known at the sender alone.
func TestRarePackets(t *testing.T) {
	const ms = time.Millisecond
	s, f := onePath(1)
	f.Open(0)
	for i := range 10 {
		x := f.Data(tracegen.A2B, time.Duration(100+10*i)*ms, int64(1000*i), 1000)
		if i == 4 {
			x.Twice(5 * ms)
		}
	}
	f.Ack(tracegen.A2B, 5000*ms).Edit(func(p *tracegen.Packet) { p.Seq-- })
	f.Ack(tracegen.A2B, 6000*ms).Edit(func(p *tracegen.Packet) { p.Seq += 1 << 31 })
	for view, want := range map[tracegen.View]map[string]float64{
		tracegen.HostA: {"captured_segments": 10, "network_duplicate_segments": 1},
		tracegen.HostB: {"captured_segments": 11},
	} {
		paths := map[string]float64{"subflows.0.a2b.keep_alives": 1, "subflows.0.a2b.stray_packets": 1, "subflows.0.a2b.bytes_unique": 10_000, "subflows.0.b2a.keep_alives": 0, "subflows.0.b2a.stray_packets": 0}
		for name, v := range want {
			paths["subflows.0.a2b."+name] = v
		}
		figuresAre(t, s, view, paths)
	}
	d := document(t, s, tracegen.HostB).Connections[0].Subflows[0].A2B
	why, _ := d.Unavailable.Of("network_duplicate_segments")
	assert.Check(t, d.NetworkDuplicates == nil && strings.Contains(why, "sender"), "at the receiver %v segments doubled, because %q", d.NetworkDuplicates, why)
}

// TestNReordering: one chunk arrives after n others. It is n-reordered for each number up to n;
// the list has the first 1024 of these.
func TestNReordering(t *testing.T) {
	for _, c := range []struct{ behind, listed int }{{0, 0}, {20, 20}, {1100, 1024}} {
		s, f := onePath(0)
		f.Open(0)
		for i := range c.behind {
			f.Data(tracegen.A2B, time.Second+time.Duration(i)*time.Millisecond, int64(100*(i+1)), 100)
		}
		f.Data(tracegen.A2B, 3*time.Second, 0, 100)
		o := document(t, s, tracegen.HostB).Connections[0].A2B.OutOfOrder
		assert.Assert(t, o.MaxNReordering == int64(c.behind) && len(o.NReordering) == c.listed,
			"behind %d: the largest n is %d, %d are listed, want %d", c.behind, o.MaxNReordering, len(o.NReordering), c.listed)
		for n, percent := range o.NReordering {
			want := 100 / float64(c.behind+1)
			assert.Check(t, percent == want, "behind %d, n = %d: %v %%, want %v", c.behind, n+1, percent, want)
		}
	}
}

// TestRetransmittedIsOfBytes: a capture that began late shows copies of payload whose mapping it
// missed. Such payload does not count in the bytes, so its copies do not count as retransmitted
// bytes. With a mapping it has 1000 bytes, and 3000 twice.
func TestRetransmittedIsOfBytes(t *testing.T) {
	const ms = time.Millisecond
	s, f := onePath(0)
	f.Assume()
	old := f.Map(tracegen.A2B, 0, 3000).Bare()
	lost := old.Send(0, 0, 1000).Lose()
	old.Send(ms, 1000, 2000)
	lost.Again(50 * ms)
	f.Data(tracegen.A2B, 100*ms, 3000, 1000)
	again := f.Data(tracegen.A2B, 101*ms, 4000, 3000).Lose()
	again.Again(150 * ms)
	figuresAre(t, s, tracegen.HostA, map[string]float64{
		"subflows.0.a2b.captured_segments": 6, "subflows.0.a2b.bytes": 1000 + 2*3000, "subflows.0.a2b.bytes_unique": 1000 + 3000, "subflows.0.a2b.retransmitted_bytes": 3000,
		"a2b.bytes": 4000, "a2b.retransmitted_bytes": 3000, "a2b.paths.0.retransmitted_bytes": 3000, "a2b.overhead_percent_of_data": 100 * 3000. / 4000,
	})
}
