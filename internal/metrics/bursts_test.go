package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// a gap in the data, one more; a retransmission between them is no part.
func TestBursts(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	first := fast.Data(tracegen.A2B, 1000*msec, 0, 1000)
	fast.Data(tracegen.A2B, 1002*msec, 1000, 1000)
	first.Again(1003 * msec)
	fast.Data(tracegen.A2B, 1005*msec, 2000, 1000)
	slow.Data(tracegen.A2B, 1006*msec, 3000, 500)
	slow.Data(tracegen.A2B, 1007*msec, 3500, 500)
	slow.Data(tracegen.A2B, 1008*msec, 6000, 100)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	quick, other := m.Subs[0].Dir(conn.A).Bursts(), m.Subs[1].Dir(conn.A).Bursts()
	dist(t, "fast bytes", &quick.Bytes, 1, 3000, 3000, 3000)
	dist(t, "fast duration", &quick.Duration, 1, 5, 5, 5)
	dist(t, "slow bytes", &other.Bytes, 2, (1000+100)/2., 100, 1000)
	dist(t, "slow duration", &other.Duration, 2, 0.5, 0, 1)
}
