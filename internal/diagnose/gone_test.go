package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestGone: the second subflow is idle. A sends keep-alives on it at 60, 120, 180 and 240 s. B answers
// the first one, and from then on none, or one of the others. One without an answer may be lost.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		answered int // keep-alives
		since    string
		n        float64
	}{{1, "120.0 s", 3}, {2, "180.0 s", 2}, {3, "", 0}, {4, "", 0}} {
		s, first := beginAs(0)
		second := s.Subflow(path(1, 10*ms))
		second.Open(50 * ms)
		for k, f := range []*tracegen.Subflow{first, second} {
			f.Data(tracegen.A2B, 200*ms, int64(k)*1000, 1000)
			f.Ack(tracegen.B2A, 210*ms)
		}
		for i := range 4 {
			at := time.Duration(i+1) * time.Minute
			second.Ack(tracegen.A2B, at).Edit(func(p *tracegen.Packet) { p.Seq-- })
			if i < c.answered {
				second.Ack(tracegen.B2A, at+10*ms)
			}
		}
		first.Data(tracegen.A2B, 300*time.Second, 2000, 1000)
		first.Ack(tracegen.B2A, 300*time.Second+10*ms)
		d := see(t, s, tracegen.HostA)
		without(t, "keep-alives", d, report.VerdictStalled, report.VerdictPathDied)
		if c.n == 0 {
			without(t, "answered", d, report.VerdictGone)
			continue
		}
		v := find(t, d, report.VerdictGone)
		wantNumber(t, v, "keep-alives without an answer", c.n)
		if v.Severity != report.Minor || *v.Subflow != 1 || !strings.Contains(v.Text, "gone since "+c.since+" at least") {
			t.Errorf("%s on subflow %d: %s", v.Severity, *v.Subflow, v.Text)
		}
	}
}
