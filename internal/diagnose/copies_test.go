package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestCopies sends 200 segments of 1000 bytes on one path, and copies of every second or every
// fifth of them on another path: half of the data, or a fifth.
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
