package diagnose_test

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestAcksWait: from the 21st of 200 segments on the round trip is 80 ms in place of 20 ms. Where the ACKs take longer, 180 of
// 200 wait 60 ms, 54 ms on average; where the data does, that is no matter of the ACKs.
func TestAcksWait(t *testing.T) {
	for _, acks := range []bool{true, false} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
		f := s.Subflow(path(0, 10*ms))
		f.Open(0)
		for i := range 200 {
			data := f.Data(tracegen.A2B, 100*ms+time.Duration(i)*10*ms, int64(i)*1000, 1000)
			if !acks && i >= 20 {
				data.Late(60 * ms)
			}
			if ack := f.Ack(tracegen.B2A, data.ArrivesAt()); acks && i >= 20 {
				ack.Late(60 * ms)
			}
		}
		waits := 0.0
		for _, v := range verdictsOf(see(t, s, tracegen.HostA), report.VerdictAcksWait) {
			waits = *v.Evidence[0].Value // the first ACKs show the unit of the timestamps, and do not count
		}
		assert.Check(t, acks && waits >= 54 && waits <= 57 || !acks && waits == 0, "%v: %v ms", acks, waits)
	}
}

// TestWaitsForRequests: b asks 80 times, 100 ms apart, for a segment of a, which a sends 1 or 60 ms later. The round trip is 20 ms:
// of the 80 ms in which nothing of a is outstanding, from the last ACK to the next answer, 79 or 20 ms end with the next request.
func TestWaitsForRequests(t *testing.T) {
	for _, works := range []time.Duration{ms, 60 * ms} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
		f := s.Subflow(path(0, 10*ms))
		f.Open(0)
		for i := range int64(80) {
			ask := f.Data(tracegen.B2A, 100*ms+time.Duration(i)*100*ms, 100*i, 100)
			answer := f.Data(tracegen.A2B, ask.ArrivesAt()+works, 1400*i, 1400)
			f.Ack(tracegen.B2A, answer.ArrivesAt())
		}
		v := find(t, see(t, s, tracegen.HostA), report.VerdictApplication)
		asked := slices.ContainsFunc(v.Parameters, func(p report.Parameter) bool { return p.Name == "asked" })
		assert.Check(t, asked == (works == ms), "%v: %s", works, v.Text)
	}
}
