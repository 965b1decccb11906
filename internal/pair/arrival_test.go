package pair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestSameID: a packet of 3000 bytes in segments of 1000 has parts with its identification,
// 40, and the two that follow. A packet that a host merged from three segments has the
// identification of the first, so its parts were sent with that one or the two that follow.
// Identifications wrap at 65536; 0 alone identifies nothing.
func TestSameID(t *testing.T) {
	for _, c := range []struct {
		sent, came uint16 // IP identifications
		left       uint32 // bytes of the packet that was sent, from the part on
		arrived    int64  // bytes of the packet that came
		want       bool
	}{
		{40, 40, 1000, 1000, true},
		{0, 0, 1000, 1000, false},
		{40, 42, 3000, 1000, true},
		{40, 43, 3000, 1000, false},
		{40, 41, 1000, 1000, false},
		{42, 40, 1000, 3000, true},
		{43, 40, 1000, 3000, false},
		{41, 40, 1000, 1000, false},
		{65535, 1, 3000, 1000, true},
		{1, 65535, 1000, 3000, true},
	} {
		s, a := sentPart{ipid: c.sent, size: c.left, segmentBytes: 1000}, arrivedPart{ipid: c.came, size: c.arrived, segmentBytes: 1000}
		assert.Check(t, is.Equal(sameID(&s, &a), c.want), "%d with %d bytes left and %d with %d came", c.sent, c.left, c.came, c.arrived)
	}
}

// TestPartUnsent: the capture at the sender has only the middle third of an arrival of 3000
// bytes. So the first and the last third count as not sent.
func TestPartUnsent(t *testing.T) {
	l := newTestLink()
	var got []Packet
	l.pair.opt.Packet = func(p *Packet) { got = append(got, Packet{Fate: p.Fate, SSN: p.SSN, Length: p.Length}) }
	d := &l.dirs[conn.A]
	d.takeSent(&packet.Segment{Time: 1e9, Seq: 1001, PayloadLen: 1000, Num: 1}, 1000)
	d.takeArrived(&packet.Segment{Time: 2e9, Seq: 1, PayloadLen: 3000, Num: 1}, 1000)
	d.finish()
	want := []Packet{
		{Fate: FateArrived, SSN: 1001, Length: 1000},
		{Fate: FateUnsent, SSN: 1, Length: 1000},
		{Fate: FateUnsent, SSN: 2001, Length: 1000},
	}
	diff := cmp.Diff(want, got)
	assert.Check(t, diff == "" && d.Unsent == 2 && d.MatchedPackets == 1, "%d segments unsent, %d packets matched (-want +got)\n%s", d.Unsent, d.MatchedPackets, diff)
}
