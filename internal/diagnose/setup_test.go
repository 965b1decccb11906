package diagnose_test

import (
	"slices"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestSetupLength: the SYN/ACK of each subflow is sent twice, 1 s apart, and the third packet answers the
// second. With the SYN in the capture the handshake took more than a second. Without it nothing tells how
// long it took.
func TestSetupLength(t *testing.T) {
	for _, seen := range []bool{true, false} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
		at := 0 * ms
		for i := range 2 {
			f := s.Subflow(path(i, 10*ms))
			syn := f.SYN(at)
			if !seen {
				syn.Unseen()
			}
			f.SYNACK(syn.ArrivesAt())
			third := f.ThirdACK(f.SYNACK(syn.ArrivesAt() + 1000*ms).ArrivesAt())
			at = third.ArrivesAt() + 100*ms
			f.Ack(tracegen.B2A, third.ArrivesAt())
			f.Data(tracegen.A2B, at, int64(1000*i), 1000)
		}
		all := *see(t, s, tracegen.HostA).Connections[0].Verdicts
		for _, code := range []report.VerdictCode{report.VerdictSetupSlow, report.VerdictJoinSlow} {
			if got := slices.ContainsFunc(all, func(v report.Verdict) bool { return v.Code == code }); got != seen {
				t.Errorf("SYNs in the capture: %v; verdict %s: %v", seen, code, got)
			}
		}
	}
}
