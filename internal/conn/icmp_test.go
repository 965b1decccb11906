package conn

import (
	"net/netip"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// TestUndelivered: an ICMP message about a segment that waits for an acknowledgment is an event of the subflow. One about
// what was acknowledged or never sent, or about no connection of the table, says nothing (RFC 5927, Section 4.1).
func TestUndelivered(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
	f.Data(a2b, at, 0, 100)
	f.Data(a2b, at+100*ms, 100, 100).Lose()
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	last := segs[len(segs)-1] // the second of the segments of A
	for name, c := range map[string]struct {
		edit func(s *packet.Segment)
		n    int64
	}{
		"what waits":          {func(*packet.Segment) {}, 1},
		"its last byte":       {func(s *packet.Segment) { s.Seq += 99 }, 1},
		"was acknowledged":    {func(s *packet.Segment) { s.Seq-- }, 0},
		"was never sent":      {func(s *packet.Segment) { s.Seq += 100 }, 0},
		"is far away":         {func(s *packet.Segment) { s.Seq += 1 << 30 }, 0},
		"is of no connection": {func(s *packet.Segment) { s.Src.Port++ }, 0},
	} {
		q := packet.Segment{Num: 99, Time: last.Time + 1, Src: last.Src, Dst: last.Dst, Seq: last.Seq}
		router := netip.MustParseAddr("10.3.0.1")
		q.SetICMP(&packet.ICMP{From: packet.Endpoint{Addr: router.As16()}, Type: 3, Code: 13})
		c.edit(&q)
		_, r := feed(append(slices.Clone(segs), q, q))
		x := r.only(t)
		u := x.c.Subflows[0].ICMPErrors(A)
		events := x.has(EventICMP)
		assert.Check(t, u.Packets == 2*c.n && len(events) == int(2*c.n) && x.c.Subflows[0].ICMPErrors(B).Packets == 0, "%s: %+v, events %v", name, u, events)
		if c.n > 0 {
			assert.Check(t, u.First.Packet == 99 && x.detail(EventICMP) == "ICMP of 10.3.0.1 about a packet of a: communication administratively prohibited", "%s: %+v, %s", name, u, x.detail(EventICMP))
		}
	}
}
