package pair

import (
	"testing"

	"mpanalyze/internal/conn"
)

// TestFateBeforeCapture: a packet was due before the first one of the other
// capture. Where that shows the SYN it was running, and the packet is lost, as
// the data of a first SYN (RFC 7413) that never arrived; where it does not, it
// may have begun too late to see it.
func TestFateBeforeCapture(t *testing.T) {
	for headless, want := range map[bool]Fate{false: FateLost, true: FateNotCovered} {
		l := newTestLink()
		d := &l.lanes[conn.A]
		d.headless[AtReceiver] = headless
		l.p.ends[AtReceiver].first, l.p.ends[AtReceiver].last = 2e9, 9e9
		d.extreme(10e6, 3e9)
		if got := d.fate(&sentCopy{span: span{Start: 0, End: size}, time: 1e9}); got != want {
			t.Errorf("without the SYN %v: %v, want %v", headless, got, want)
		}
	}
}
