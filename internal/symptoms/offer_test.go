package symptoms

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// TestLateWindow: the receiver offers 1000 bytes, then 50,000, and then 1000 again. That takes 49,000
// back, unless its timestamp shows that it is a late copy of the first packet, or may be one.
func TestLateWindow(t *testing.T) {
	for _, c := range []struct {
		what  string
		tsval uint32
		have  packet.Present
		want  int64
	}{
		{"later", 6, packet.HasTimestamps, 49_000},
		{"a late copy", 1, packet.HasTimestamps, 0},
		{"at the same time", 5, packet.HasTimestamps, 0},
		{"no timestamps", 0, 0, 49_000},
	} {
		d := followed(1).Follow(conn.A)
		offer := func(num uint64, window uint16, tsval uint32) {
			p := &conn.Packet{
				Seg:        &packet.Segment{Num: num, Time: int64(num), Window: window, TSVal: tsval, Have: c.have},
				SubflowDir: &conn.SubflowDir{Sub: d.c.followed[0].Sub, Conn: d.c.conn},
			}
			d.offered(p, int64(window))
		}
		offer(1, 1000, 1)
		offer(2, 50_000, 5)
		offer(3, 1000, c.tsval)
		if got := d.Shut().Shrinks.Most; got != c.want {
			t.Errorf("%s: %d bytes taken back, want %d", c.what, got, c.want)
		}
	}
}
