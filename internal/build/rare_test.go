package build_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

// TestRarePackets has packets that are not part of the stream: a keep-alive, whose sequence
// number is that of the last acknowledged byte; a packet half the sequence space away; and a
// segment that the network duplicates, 5 ms apart.
func TestRarePackets(t *testing.T) {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	f.Open(0)
	for i := range 10 {
		x := f.Data(tracegen.A2B, time.Duration(100+10*i)*ms, int64(1000*i), 1000)
		if i == 4 {
			x.Twice(5 * ms)
		}
	}
	f.Ack(tracegen.A2B, 5000*ms).Edit(func(p *tracegen.Packet) { p.Seq-- })
	f.Ack(tracegen.A2B, 6000*ms).Edit(func(p *tracegen.Packet) { p.Seq += 1 << 31 })

	for _, tt := range []struct {
		view    tracegen.View
		packets int64 // with payload
		doubled int64 // -1 = not known there
	}{{tracegen.HostA, 10, 1}, {tracegen.HostB, 11, -1}} {
		c := &document(t, s, tt.view).Connections[0]
		d := c.Subflows[0].A2B
		if d.KeepAlives != 1 || d.StrayPackets != 1 || d.CapturedSegments != tt.packets || *d.BytesUnique != 10_000 {
			t.Errorf("view %d: %d keep-alives, %d strays, %d packets of %d bytes; want 1, 1, %d of 10000",
				tt.view, d.KeepAlives, d.StrayPackets, d.CapturedSegments, *d.BytesUnique, tt.packets)
		}
		why, _ := d.Unavailable.Of("network_duplicate_segments")
		switch n := d.NetworkDuplicates; {
		case tt.doubled < 0 && (n != nil || !strings.Contains(why, "sender")):
			t.Errorf("view %d: %v segments doubled, because %q; want none known away from the sender", tt.view, n, why)
		case tt.doubled >= 0 && (n == nil || *n != tt.doubled):
			t.Errorf("view %d: %v segments doubled, want %d", tt.view, n, tt.doubled)
		}
		if back := c.Subflows[0].B2A; back.KeepAlives != 0 || back.StrayPackets != 0 {
			t.Errorf("view %d: %d keep-alives and %d strays of B", tt.view, back.KeepAlives, back.StrayPackets)
		}
	}
}
