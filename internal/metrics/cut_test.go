package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestCutAcks: DATA_ACKs are no fair sample if the capture cut the options of 1 % of a host's packets.
func TestCutAcks(t *testing.T) {
	for _, c := range []struct {
		whole, cut int
		fair       bool
	}{{99, 1, false}, {100, 1, true}, {198, 2, false}, {5, 0, true}} {
		m := bare(Config{})
		for i := range c.whole + c.cut {
			have := packet.HasDSS
			if i >= c.whole {
				have = packet.OptionsCut
			}
			m.Subs[0].TakeOptions(&conn.Packet{Seg: &packet.Segment{Num: uint64(i + 1), Have: have}, SubflowDir: &conn.SubflowDir{From: conn.B}})
		}
		if fair := m.acksCut(conn.A) == ""; fair != c.fair || m.acksCut(conn.B) != "" {
			t.Errorf("%d of %d: fair %v", c.cut, c.whole+c.cut, fair)
		}
	}
}
