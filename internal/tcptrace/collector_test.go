package tcptrace

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestLateWithoutPair: a late packet of a connection or a subflow that the collector saw no
// packet of is not counted.
func TestLateWithoutPair(t *testing.T) {
	seg := packet.Segment{Num: 1, Time: 1, Flags: packet.FIN | packet.ACK}
	c := Collector{}
	if c.Late(&conn.Late{Seg: &seg}) {
		t.Error("counted before any connection has ended")
	}
	c.ended = map[int]flows{3: {{}, {pair: &Pair{}}}}
	for _, at := range []struct {
		order, sub int
		want       bool
	}{{2, 0, false}, {3, 0, false}, {3, 1, true}, {3, 2, false}} {
		if got := c.Late(&conn.Late{Seg: &seg, Order: at.order, Sub: at.sub}); got != at.want {
			t.Errorf("connection %d, subflow %d: counted is %v, want %v", at.order, at.sub, got, at.want)
		}
	}
	if n := c.ended[3][1].pair.Dirs[0].Packets; n != 1 {
		t.Errorf("the subflow has %d packets, want 1", n)
	}
}
