package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestNeededWindow: two links of 16 and 4 Mbit/s with a round trip of 240 ms hold 600,000 bytes,
// and the receive buffer is 131,072 bytes at most. The rates that came through show a part of the
// need, which both ends call a lower bound. Both ask for twice what was offered.
func TestNeededWindow(t *testing.T) {
	for _, end := range []string{"client", "server"} {
		d := analyze(t, session(t, "v1/e-small-rcvbuf", end)...)
		v := verdictsOf(d, report.VerdictWindowClosed)[0]
		need, offered := proof(t, v, "delivered rate times the longest of the least round trips"), proof(t, v, "largest window offered")
		if need <= 0 || need > 20e6/8*0.241 || offered > 131_072 {
			t.Errorf("%s: %v bytes of need and %v offered", end, need, offered)
		}
		for _, want := range []string{"a receive window of 168 kB, and double it", "offered 84.1 kB", "lower bound", "net.ipv4.tcp_rmem"} {
			if !strings.Contains(v.Remedy, want) {
				t.Errorf("%s: no %q in %s", end, want, v.Remedy)
			}
		}
	}
}

// proof returns the number of a proof.
func proof(t *testing.T, v report.Verdict, what string) float64 {
	t.Helper()
	for _, p := range v.Evidence {
		if p.What == what && p.Value != nil {
			return *p.Value
		}
	}
	t.Fatalf("%s has no proof %q: %+v", v.Code, what, v.Evidence)
	return 0
}

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
		if !strings.Contains(v.Remedy, want) {
			t.Errorf("no %q in %s", want, v.Remedy)
		}
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
