package diagnose_test

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestQuits: a uses plain TCP and acknowledges 20 segments, or 15, without an option, while b
// sends mappings for a second or less.
func TestQuits(t *testing.T) {
	for _, c := range []struct {
		name  string
		acks  int
		every time.Duration // between b's segments, of which there are 20
		want  bool
	}{
		{"for 1.14 s", 20, 60 * ms, true},
		{"for 0.76 s", 20, 40 * ms, false},
		{"15 packets, as those that close a subflow", 15, 60 * ms, false},
	} {
		s, first := beginAs(1000)
		for i := range 20 {
			at := 100*ms + time.Duration(i)*c.every
			first.Data(tracegen.B2A, at, int64(i)*1000, 1000)
			if i < c.acks {
				first.Ack(tracegen.A2B, at+11*ms).Edit(erase)
			}
		}
		got := says(see(t, s, tracegen.HostA), report.VerdictStrippedData)
		assert.Check(t, got == c.want, "%s: a verdict %t, want %t", c.name, got, c.want)
	}
}
