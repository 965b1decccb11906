package diagnose_test

import (
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestSetupLength: the SYN/ACK of each subflow is sent twice, and the third packet answers the second one.
// At a that leaves 20 ms after the gap between them, and the confirmation of a join comes 20 ms later. A
// handshake of 1 s is slow. Without its SYN nothing tells how long it took.
func TestSetupLength(t *testing.T) {
	for _, c := range []struct {
		gap         time.Duration
		seen        bool
		setup, join report.Severity // empty for no verdict
	}{
		{980 * ms, true, report.Major, report.Major},
		{979 * ms, true, report.Minor, report.Major},
		{960 * ms, true, report.Minor, report.Major},
		{959 * ms, true, report.Minor, report.Minor},
		{980 * ms, false, "", ""},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
		at := 0 * ms
		for i := range 2 {
			f := s.Subflow(path(i, 10*ms))
			syn := f.SYN(at)
			if !c.seen {
				syn.Unseen()
			}
			f.SYNACK(syn.ArrivesAt())
			third := f.ThirdACK(f.SYNACK(syn.ArrivesAt() + c.gap).ArrivesAt())
			at = third.ArrivesAt() + 100*ms
			f.Ack(tracegen.B2A, third.ArrivesAt())
			f.Data(tracegen.A2B, at, int64(1000*i), 1000)
		}
		d := see(t, s, tracegen.HostA)
		for code, want := range map[report.VerdictCode]report.Severity{report.VerdictSetupSlow: c.setup, report.VerdictJoinSlow: c.join} {
			if want == "" {
				without(t, "no SYN", d, code)
			} else if v := find(t, d, code); v.Severity != want {
				t.Errorf("%v between the SYN/ACKs: %s is a %s, want a %s", c.gap, code, v.Severity, want)
			}
		}
	}
}
