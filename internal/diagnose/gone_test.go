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
		reset    bool // A gives the subflow up, which is no refusal
	}{{1, "120.0 s", 3, false}, {2, "180.0 s", 2, false}, {2, "180.0 s", 2, true}, {3, "", 0, false}, {4, "", 0, false}} {
		s, first := beginAs(0)
		second := s.Subflow(path(1, 10*ms))
		second.Open(50 * ms)
		for k, f := range []*tracegen.Subflow{first, second} {
			if c.reset && f == second {
				continue
			}
			f.Data(tracegen.A2B, 200*ms, int64(k)*1000, 1000)
			f.Ack(tracegen.B2A, 210*ms)
		}
		if c.reset {
			second.RST(tracegen.A2B, 5*time.Minute)
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
		without(t, "keep-alives", d, report.VerdictStalled, report.VerdictPathDied, report.VerdictJoinAborted)
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
