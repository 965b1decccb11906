package engine

import (
	"testing"

	"mpanalyze/internal/packet"
)

// TestCopiesOfOneDirection: a mirror port may show only what one host sends twice.
func TestCopiesOfOneDirection(t *testing.T) {
	a, b := packet.Endpoint{Addr: [16]byte{15: 1}}, packet.Endpoint{Addr: [16]byte{15: 2}}
	var segs []packet.Segment
	for i := range 200 {
		for range 3 {
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: b, Dst: a})
		}
		if i == 50 { // the network duplicated this one
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: b, Dst: a, Have: packet.SeenTwice})
		}
		for _, have := range []packet.Present{0, packet.SeenTwice} {
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: a, Dst: b, Have: have})
		}
	}
	var c copies
	skipped := make([]skips, 1)
	left := c.drop(segs[:120], skipped)
	for i := 120; i < len(segs); i += 32 {
		left += c.drop(segs[i:min(i+32, len(segs))], skipped)
	}
	if left != 200*4+1 || c.count != 200 || skipped[0][5] != 200 {
		t.Errorf("%d packets are left, %d were dropped", left, c.count)
	}
}
