package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestUnusedForLackOfData joins a path that gets no data, while the application sends four
// segments of 1000 bytes every 24 ms, which are DATA_ACKed after 20 ms. So for 4 of every 24 ms
// nothing is outstanding, which only a capture at A shows.
func TestUnusedForLackOfData(t *testing.T) {
	for view, want := range map[tracegen.View]string{
		tracegen.HostA: "for 17 % of the time it had nothing to send",
		tracegen.HostB: "a capture at the sender tells",
	} {
		s, first := begin()
		s.Subflow(path(1, 10*ms)).Open(50 * ms)
		for i := range 50 {
			for k := range 4 {
				first.Data(tracegen.A2B, 500*ms+time.Duration(i)*24*ms, int64(4*i+k)*1000, 1000)
			}
		}
		first.Ack(tracegen.B2A, 4000*ms)
		v := find(t, see(t, s, view), report.VerdictPathUnused)
		assert.Check(t, v.Severity == report.Minor && strings.Contains(v.Text, want), "view %d: %s: %q, want a note with %q", view, v.Severity, v.Text, want)
	}
}
