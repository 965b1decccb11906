package symptoms

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestOptionUseOfSuperSegments: each packet counts once, however many segments it stands for.
func TestOptionUseOfSuperSegments(t *testing.T) {
	var u OptionUse
	for num, have := range []packet.Present{packet.HasDSS, packet.HasDSS, 0, 0, 0, packet.OptionsCut} {
		for range 3 {
			u.packet(&conn.Packet{Seg: &packet.Segment{Num: uint64(num + 1), Time: 1, Have: have}})
		}
		if num == 1 {
			u.Again(2, 1)
			u.Again(7, 1)
		}
	}
	if u.Packets != 3 || u.Without != 3 || u.Cut != 1 {
		t.Errorf("%d packets with an option, %d without, %d cut, want 3, 3, 1", u.Packets, u.Without, u.Cut)
	}
}
