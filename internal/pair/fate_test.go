package pair

import (
	"testing"

	"mpanalyze/internal/conn"
)

// TestFateBeforeCapture: a packet should have arrived before the first packet of the other
// capture. If that capture has the SYN, it was running, and the packet is lost: for example
// the data of a first SYN (RFC 7413) that never arrived. Otherwise the capture may have
// begun too late for it.
func TestFateBeforeCapture(t *testing.T) {
	for headless, want := range map[bool]Fate{false: FateLost, true: FateNotCovered} {
		l := newTestLink()
		d := &l.dirs[conn.A]
		d.noSYN[AtReceiver] = headless
		l.pair.captures[AtReceiver].first, l.pair.captures[AtReceiver].last = 2e9, 9e9
		d.noteDelay(10e6, 3e9)
		if got := d.fateOf(&sentPart{ssnRange: ssnRange{Start: 0, End: size}, time: 1e9}); got != want {
			t.Errorf("without the SYN %v: %v, want %v", headless, got, want)
		}
	}
}
