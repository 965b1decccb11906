package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// rounds sends n segments of 1000 bytes every 20 ms, 100 times. Round trips are 20 ms. B offers
// 51,200 bytes, and from the fifth round on so many times 128.
func rounds(n int64, window uint16) *tracegen.Session {
	s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
	p := path(0, 10*ms)
	p.Window = 51_200
	first := s.Subflow(p)
	first.Open(0)
	for i := range int64(100) {
		at := 100*ms + time.Duration(i)*20*ms
		for k := range n {
			first.Data(tracegen.A2B, at, (i*n+k)*1000, 1000)
		}
		first.Ack(tracegen.B2A, at+10*ms).Edit(func(p *tracegen.Packet) {
			if i >= 5 {
				p.Window = window
			}
		})
	}
	return s
}

// TestWindowLimits: 51 segments fill the window of 51,200 bytes in each round: 51,000 bytes in 20 ms
// are 20.4 Mbit/s, which the window limits. Twice the window is to be tried.
func TestWindowLimits(t *testing.T) {
	v := find(t, see(t, rounds(51, 400), tracegen.HostA), report.VerdictWindowClosed)
	for _, want := range []string{"window of 102 kB, and double it", "offered 51.2 kB at most", "lower bound: 20.4 Mbit/s", "20.0 ms, the least round trip, are 51 kB", "300000 or more"} {
		assert.Check(t, strings.Contains(v.Remedy, want), "no %q in %s", want, v.Remedy)
	}
	if !strings.Contains(v.Text, "of b (51.2 kB at most)") {
		t.Error(v.Text)
	}
}

// TestUnreadWindow: B offers 80 times 128 bytes, a fifth of what it offered first, and 10 segments
// fill that. Its application is too slow, and a larger buffer is no remedy.
func TestUnreadWindow(t *testing.T) {
	v := find(t, see(t, rounds(10, 80), tracegen.HostA), report.VerdictWindowClosed)
	if !strings.Contains(v.Remedy, "Let the application on b (198.51.100.1) read faster") || !strings.Contains(v.Text, "reads too slowly") || strings.Contains(v.Remedy, "tcp_rmem") {
		t.Errorf("%s: %s", v.Text, v.Remedy)
	}
}
