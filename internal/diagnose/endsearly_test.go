package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestEndsEarly: the capture ends 1 ms before and 1 ms after what is missing should have come: 3.5 s after
// the packet that it should follow. Before that a note says how long the capture goes on and nothing else
// is said, after it the verdict.
func TestEndsEarly(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // when the capture shows the packet
		play  func(s *tracegen.Session, first *tracegen.Subflow)
		code  report.VerdictCode
	}{
		{"a join without an answer", 100 * ms, func(s *tracegen.Session, _ *tracegen.Subflow) {
			s.Subflow(path(1, 10*ms)).SYN(100 * ms).Lose().Again(1100 * ms).Lose().Again(3100 * ms).Lose()
		}, report.VerdictJoinUnanswered},
		{"a path that makes no progress", 300 * ms, func(s *tracegen.Session, first *tracegen.Subflow) {
			second := s.Subflow(path(1, 10*ms))
			second.Open(50 * ms)
			second.Data(tracegen.A2B, 300*ms, 0, 1000).Lose()
			steady(first, 305*ms, 1000, 29)
			first.Data(tracegen.A2B, 600*ms, 0, 1000)
			steady(first, 605*ms, 30_000, 200)
		}, report.VerdictPathDied},
		{"a path that carries nothing", 80 * ms, func(s *tracegen.Session, first *tracegen.Subflow) {
			s.Subflow(path(1, 10*ms)).Open(60 * ms) // a sends the third packet 20 ms later
			steady(first, 200*ms, 0, 300)
		}, report.VerdictPathUnused},
		{"a join that was reset before the connection may be over", 172 * ms, func(s *tracegen.Session, first *tracegen.Subflow) {
			first.Data(tracegen.B2A, 60*ms, 0, 1000)
			second := s.Subflow(path(1, 10*ms))
			second.Open(120 * ms)
			second.RST(tracegen.B2A, 162*ms) // arrives at a 10 ms later
		}, report.VerdictJoinAborted},
	} {
		for left, want := range map[time.Duration]report.VerdictCode{-ms: report.VerdictEndsEarly, ms: c.code} {
			s, first := begin()
			c.play(s, first)
			end := c.after + 3500*ms + left
			first.Ack(tracegen.B2A, end-10*ms) // arrives at a 10 ms later
			d := see(t, s, tracegen.HostA)
			v := find(t, d, want)
			if want != c.code {
				wantNumber(t, v, "time from then to the end of the capture", float64(end-c.after)/1e6)
				without(t, c.name, d, c.code)
			}
			if early := strings.Contains(v.Text, "when the capture ends"); early != (want != c.code) || early && v.Severity != report.Minor {
				t.Errorf("%s, %v: %s: %s", c.name, left, v.Severity, v.Text)
			}
		}
	}
}

// TestEndsEarlyPlain cuts the capture of a connection that is plain TCP: only a SYN; two SYNs and one without
// the option; and with an answer, where the place of the capture is not known.
func TestEndsEarlyPlain(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(f *tracegen.Subflow)
		want report.VerdictCode
	}{
		{"a SYN", func(f *tracegen.Subflow) { f.SYN(0).Lose() }, report.VerdictEndsEarly},
		{"a SYN for 3.4 s", func(f *tracegen.Subflow) { f.SYN(0).Lose().Again(3400 * ms).Lose() }, report.VerdictEndsEarly},
		{"a SYN for 3.5 s", func(f *tracegen.Subflow) { f.SYN(0).Lose().Again(3500 * ms).Lose() }, report.VerdictUnanswered},
		{"a SYN without the option", func(f *tracegen.Subflow) { f.SYN(0).Lose().Again(3900 * ms).Edit(erase).Lose() }, report.VerdictEndsEarly},
		{"the same without an answer", func(f *tracegen.Subflow) {
			f.SYN(0).Lose().Again(1000 * ms).Edit(erase).Lose().Again(4500 * ms).Lose()
		}, report.VerdictUnanswered},
		{"an answer", func(f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * ms).Edit(erase) }, report.VerdictEndsEarly},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		c.play(s.Subflow(path(0, 10*ms)))
		d := see(t, s, tracegen.HostA)
		if v := find(t, d, c.want); len(d.TCP) != 1 || len(d.TCP[0].Verdicts) != 1 || c.want == report.VerdictEndsEarly && v.Severity != report.Minor {
			t.Errorf("%s: %+v", c.name, d.TCP)
		}
	}
}

// TestEndsAtAGap: 200 segments each way are missing from the file, from 1 s after a join on. What the capture
// does not show then may be the answer, so nothing is said of it.
func TestEndsAtAGap(t *testing.T) {
	for _, gap := range []bool{false, true} {
		s, first := begin()
		s.Subflow(path(1, 10*ms)).SYN(100 * ms).Lose()
		steady(first, 100*ms, 0, 500)
		start := s.Packets(tracegen.HostA)[0].Time
		d := seeOnly(t, s, tracegen.HostA, func(_ int, p *tracegen.Packet) bool {
			at := p.Time - start
			return !gap || at <= (1100*ms).Nanoseconds() || at >= (3100*ms).Nanoseconds()
		})
		if gap {
			without(t, "with a gap", d, report.VerdictJoinUnanswered, report.VerdictEndsEarly)
			find(t, d, report.VerdictCaptureGap)
		} else {
			find(t, d, report.VerdictJoinUnanswered)
		}
	}
}
