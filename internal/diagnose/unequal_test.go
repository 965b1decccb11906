package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestUnequalRates sends 30 segments of 1000 bytes on one path and 300 on the other, in about 3
// s. That alone is no reason to blame the path. It is one if the path lost much or its queue was
// full, as here for four of five segments, which take 80 ms more: of round trips of 20 ms and 100
// ms, the mean is above twice the least. If there are pauses between segments, only a capture at
// the sender shows their round trips.
func TestUnequalRates(t *testing.T) {
	for name, c := range map[string]struct {
		late  time.Duration
		lossy bool
		want  bool
	}{
		"idle":   {0, false, false},
		"lossy":  {0, true, true},
		"queued": {80 * ms, false, true},
	} {
		for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			if view == tracegen.HostB && c.late > 0 {
				continue
			}
			s, first := begin()
			second := s.Subflow(path(1, 10*ms))
			second.Open(50 * ms)
			steady(first, 500*ms, 0, 300)
			for i := range 30 {
				at := 500*ms + time.Duration(i)*100*ms
				x := second.Data(tracegen.A2B, at, 300_000+int64(i)*1000, 1000)
				if i%5 > 0 {
					x.Late(c.late)
				}
				if c.lossy && i%10 == 5 {
					x.Lose()
					second.Data(tracegen.A2B, at+ms, 400_000+int64(i)*1000, 1000) // what tells the sender
					x.Again(at + 40*ms)
				}
			}
			all := *see(t, s, view).Connections[0].Verdicts
			got := slices.ContainsFunc(all, func(v report.Verdict) bool {
				return v.Code == report.VerdictUnequalPaths && *v.Subflow == 1 && strings.Contains(v.Text, "the slow path can add little")
			})
			if got != c.want {
				t.Errorf("%s, view %d: unequal paths %t, want %t; all: %+v", name, view, got, c.want, all)
			}
		}
	}
}

// TestUnequalShortRoundTrips: the round trips of a local network are not written as "0 ms".
func TestUnequalShortRoundTrips(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	quick, slow := s.Subflow(path(0, 50*time.Microsecond)), s.Subflow(path(1, 200*time.Microsecond))
	quick.Open(0)
	slow.Open(5 * ms)
	steady(quick, 50*ms, 0, 150)
	for i := range 50 {
		slow.Data(tracegen.A2B, 55*ms+time.Duration(i)*10*ms, 150_000+int64(i)*1000, 1000)
	}
	v := find(t, see(t, s, tracegen.HostA), report.VerdictUnequalPaths)
	if !strings.Contains(v.Text, "subflow 1 (0.4 ms) is 4.0 times that of subflow 0 (0.1 ms)") {
		t.Error(v.Text)
	}
}
