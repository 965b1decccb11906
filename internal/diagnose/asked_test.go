package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestWaitsForRequests: b asks 60 times, 100 ms apart, for 4 segments of a, which a sends 1 or 60 ms later. The round trip is 20 ms:
// of the 79 ms in which nothing of a is outstanding, from the last ACK to the next answer, 78 or 19 ms end with the next request.
func TestWaitsForRequests(t *testing.T) {
	for _, works := range []time.Duration{ms, 60 * ms} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
		f := s.Subflow(path(0, 10*ms))
		f.Open(0)
		for i := range int64(60) {
			ask := f.Data(tracegen.B2A, 100*ms+time.Duration(i)*100*ms, 100*i, 100)
			var answer *tracegen.Sent
			for k := range int64(4) {
				answer = f.Data(tracegen.A2B, ask.ArrivesAt()+works, 4000*i+1000*k, 1000)
			}
			f.Ack(tracegen.B2A, answer.ArrivesAt())
		}
		v := find(t, see(t, s, tracegen.HostA), report.VerdictApplication)
		asked := slices.ContainsFunc(v.Parameters, func(p report.Parameter) bool { return p.Name == "asked" })
		assert.Check(t, asked == (works == ms), "%v: %s", works, v.Text)
	}
}
