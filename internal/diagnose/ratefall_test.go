package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestRateFell: a sends 1000 bytes each 2 ms for 4 s, 4 Mbit/s; then each 20 ms, 0.4 Mbit/s, for 6 s in
// which round trips are 100 ms, so that data is in flight all the time; then each 2 ms again. The low rate
// lasts for 5.8 s, as cells of 200 ms show it. From a twentieth of the time on it is a warning: of 115 s, and
// not of 117.2 s.
func TestRateFell(t *testing.T) {
	for _, c := range []struct {
		slow, quick int // segments
		severity    report.Severity
	}{{300, 52_500, report.Major}, {300, 53_600, report.Minor}} {
		s, first := begin()
		at, offset := 100*ms, int64(0)
		send := func(n int, every, late time.Duration) {
			for range n {
				first.Data(tracegen.A2B, at, offset, 1000).Late(late)
				at, offset = at+every, offset+1000
			}
		}
		send(2000, 2*ms, 0)
		send(c.slow, 20*ms, 80*ms)
		send(c.quick, 2*ms, 0)
		v := find(t, see(t, s, tracegen.HostA), report.VerdictRateFell)
		assert.Check(t, v.Severity == c.severity && *v.Subflow == 0 && strings.Contains(v.Text, "fell from 4 Mbit/s to 0.4 Mbit/s"), "%s: %s", v.Severity, v.Text)
	}
}
