package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestOrderOfSuperSegments: packets of one, three and two segments of 1,000 bytes, of which the
// last stands below the second. At the sender each segment is a chunk, and the buffer holds none,
// then one to three, three until the gap is full, and none. At the receiver each packet is one.
func TestOrderOfSuperSegments(t *testing.T) {
	for _, tt := range []struct {
		view         tracegen.View
		role         Role
		chunks, late int64
		held         float64 // chunks in the buffer after each, on average
	}{
		{tracegen.HostA, Sender, 6, 2, (0 + 1 + 2 + 3 + 3 + 0) / 6.},
		{tracegen.HostB, Receiver, 3, 1, (0 + 1 + 0) / 3.},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		delay := [2]time.Duration{10 * msec, 10 * msec}
		f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), MSS: 1040, Delay: delay})
		f.Open(0)
		f.Data(tracegen.A2B, 100*msec, 0, 1000)
		f.Data(tracegen.A2B, 101*msec, 3000, 2500)
		f.Data(tracegen.A2B, 102*msec, 1000, 2000)
		m := measure(t, s, tt.view, Config{Interval: 100 * msec})
		o := m.Dir(conn.A).Order()
		if m.Role(conn.A) != tt.role || o.Firsts != tt.chunks || o.Chunks != tt.chunks || o.Reordered != tt.late {
			t.Errorf("role %d: %d of %d chunks late, want role %d, %d of %d", m.Role(conn.A), o.Reordered, o.Firsts, tt.role, tt.late, tt.chunks)
		}
		near(t, "chunks in the buffer", o.Buffer.Chunks.Dist().Mean(), tt.held)
	}
}
