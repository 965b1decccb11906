package diagnose_test

import (
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
			at := 100*ms + time.Duration(i)*10*ms
			data := f.Data(tracegen.A2B, at, int64(i)*1000, 1000)
			if !acks && i >= 20 {
				data.Late(60 * ms)
			}
			if ack := f.Ack(tracegen.B2A, data.ArrivesAt()); acks && i >= 20 {
				ack.Late(60 * ms)
			}
		}
		d := see(t, s, tracegen.HostA)
		if !acks {
			without(t, "data", d, report.VerdictAcksWait)
			continue
		}
		v := find(t, d, report.VerdictAcksWait)
		waits := *v.Evidence[0].Value // the first ACKs show the unit of the timestamps, and do not count
		assert.Check(t, v.Severity == report.Major && waits >= 54 && waits <= 57, "%s, %v ms", v.Severity, waits)
	}
}
