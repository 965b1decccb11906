package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestInOrderWait: of three chunks the second, of 300 bytes, arrives 10 ms before the
// first, of 100, and the third 5 ms after that: it waited 10 ms, the others did not. By
// bytes the mean is 10 * 300 / 500. The sender's capture does not show it.
func TestInOrderWait(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	f.Data(tracegen.A2B, 100*msec, 100, 300)
	f.Data(tracegen.A2B, 110*msec, 0, 100)
	f.Data(tracegen.A2B, 115*msec, 400, 100)
	w := measure(t, s, tracegen.HostB, Config{Interval: 100 * msec}).Subs[0].Dir(conn.A).InOrderWait()
	dist(t, "in_order_wait", w, 3, 10*300/500., 0, 10)
	if n := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Subs[0].Dir(conn.A).InOrderWait().N(); n != 0 {
		t.Errorf("%d values at the sender, want none", n)
	}
}
