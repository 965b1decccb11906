package build_test

import (
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

// TestRetransmittedIsOfBytes: a capture that began late shows copies of payload whose mapping it
// missed. Such payload does not count in the bytes, so its copies do not count as retransmitted
// bytes.
func TestRetransmittedIsOfBytes(t *testing.T) {
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	f.Assume()
	old := f.Map(tracegen.A2B, 0, 3000).Bare()
	lost := old.Send(0, 0, 1000).Lose()
	old.Send(ms, 1000, 2000)
	lost.Again(50 * ms)
	f.Data(tracegen.A2B, 100*ms, 3000, 1000)
	again := f.Data(tracegen.A2B, 101*ms, 4000, 3000).Lose()
	again.Again(150 * ms)

	c := &document(t, s, tracegen.HostA).Connections[0]
	d := c.Subflows[0].A2B
	if d.CapturedSegments != 6 || *d.Bytes != 7000 || *d.BytesUnique != 4000 || d.RetransmittedBytes != 3000 {
		t.Errorf("%d packets of %d bytes, %d unique, %d retransmitted; want 6 of 1000 + 2 x 3000, 1000 + 3000 unique, 3000 retransmitted",
			d.CapturedSegments, *d.Bytes, *d.BytesUnique, d.RetransmittedBytes)
	}
	all := c.A2B
	if *all.Bytes != 4000 || all.RetransmittedBytes != 3000 || all.Paths[0].RetransmittedBytes != 3000 || *all.Overhead != 75 {
		t.Errorf("of the connection %d bytes, %d retransmitted, %d of them on the path, overhead %v %%; want 4000, 3000, 3000, 3000/4000",
			*all.Bytes, all.RetransmittedBytes, all.Paths[0].RetransmittedBytes, *all.Overhead)
	}
}
