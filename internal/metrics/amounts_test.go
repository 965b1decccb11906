package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestAmountsOfLines: A sends on fast 1000 bytes at 1000 and 2000 at 1100 ms, the first ones again
// at 1200 ms, and on slow the latter as a reinjection at 1400 ms. B sends 500 bytes at 1150 ms.
func TestAmountsOfLines(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	first := fast.Data(tracegen.A2B, 1000*msec, 0, 1000)
	fast.Data(tracegen.A2B, 1100*msec, 1000, 2000)
	fast.Data(tracegen.B2A, 1150*msec, 0, 500)
	first.Again(1200 * msec)
	slow.Data(tracegen.A2B, 1400*msec, 1000, 2000)
	m := measure(t, s, tracegen.HostA, Config{Lines: true})
	for _, c := range []struct {
		from          conn.Side
		payload, data Amount
	}{
		{conn.A, Amount{6000, 0, int64(400 * msec)}, Amount{3000, 0, int64(100 * msec)}},
		{conn.B, Amount{500, 160 * 1e6, 160 * 1e6}, Amount{500, 160 * 1e6, 160 * 1e6}},
	} {
		payload, data := m.Amounts(c.from)
		start := m.Conn.Start + 1000*1e6
		for what, x := range map[string][2]Amount{"payload": {*payload, c.payload}, "data": {*data, c.data}} {
			if got, want := x[0], (Amount{x[1].bytes, start + x[1].first, start + x[1].last}); got != want {
				t.Errorf("%s of %v: %+v, want %+v", what, c.from, got, want)
			}
		}
	}
	payload, _ := m.Amounts(conn.A)
	if mbps, ok := payload.Avg(); !ok || mbps != 6000*8/400e3 {
		t.Errorf("%g Mbit/s, want 6000 bytes in 400 ms", mbps)
	}
	one, _ := m.Amounts(conn.B)
	if mbps, ok := one.Avg(); ok {
		t.Errorf("%g Mbit/s of a single packet", mbps)
	}
}
