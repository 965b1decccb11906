package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestCopies sends 200 segments of 1000 octets on one path, and on another one
// the first of every two, or of every five: half of the data, or a fifth.
func TestCopies(t *testing.T) {
	for every, want := range map[int]float64{2: 50, 5: 0} {
		for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			s, first := begin()
			second := s.Subflow(path(1, 10*ms))
			second.Open(50 * ms)
			steady(first, 500*ms, 0, 200)
			for i := 0; i < 200; i += every {
				second.Data(tracegen.A2B, 501*ms+time.Duration(i)*10*ms, int64(i)*1000, 1000)
			}
			d := see(t, s, view)
			if want > 0 {
				v := find(t, d, report.VerdictCopies)
				wantNumber(t, v, "reinjected part of the data", want)
				wantNumber(t, v, "reinjected", 100_000)
			} else if slices.ContainsFunc(*d.Connections[0].Verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictCopies }) {
				t.Errorf("view %d: a verdict on copies, of a fifth of the data", view)
			}
		}
	}
}

// TestUnusedForLack joins a path that is given nothing while the application
// sends four segments of 1000 octets every 24 ms, which are DATA_ACKed after 20 ms:
// for 4 of every 24 ms nothing is outstanding, which only A knows.
func TestUnusedForLack(t *testing.T) {
	for view, want := range map[tracegen.View]string{
		tracegen.HostA: "for 17 % of the time nothing was outstanding",
		tracegen.HostB: "a capture at the sender tells",
	} {
		s, first := begin()
		s.Subflow(path(1, 10*ms)).Open(50 * ms)
		for i := range 50 {
			for k := range 4 {
				first.Data(tracegen.A2B, 500*ms+time.Duration(i)*24*ms, int64(4*i+k)*1000, 1000)
			}
		}
		v := find(t, see(t, s, view), report.VerdictPathUnused)
		if v.Severity != report.Minor || !strings.Contains(v.Text, want) {
			t.Errorf("view %d: %s: %q, want a note with %q", view, v.Severity, v.Text, want)
		}
	}
}
