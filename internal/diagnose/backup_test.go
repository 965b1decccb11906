package diagnose_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestPriorities: subflow 1 exists from 50 ms on; the data passes on subflow 0 up to about 2100
// ms. The verdict on subflow 1 has its priority at the end, and the host that asked for it. A
// short time as a backup is not mentioned.
func TestPriorities(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *tracegen.Session, first, second *tracegen.Subflow)
		want []string // in the text of the verdict on subflow 1; none for no verdict
		not  string   // not in any
	}{
		{"made a backup at 1 s", func(_ *tracegen.Session, _, second *tracegen.Subflow) {
			second.Signal(tracegen.B2A, 1000*ms, &mptcp.Prio{Backup: true})
		}, []string{"is a backup from 1.0", "by MP_PRIO of b:", "only while no regular path works"}, "flag B"},
		{"a backup for 1 s of 2", func(_ *tracegen.Session, _, second *tracegen.Subflow) {
			second.Signal(tracegen.B2A, 100*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 1100*ms, &mptcp.Prio{})
		}, []string{"is regular from 1.1", "(MP_PRIO of b)", "was a backup for 1.00 s before"}, "only while"},
		// It lives from 50 to 2120 ms, when the last ACK comes to a: a tenth of that is 207 ms.
		{"a backup for 208 ms", func(_ *tracegen.Session, _, second *tracegen.Subflow) {
			second.Signal(tracegen.B2A, 100*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 308*ms, &mptcp.Prio{})
		}, []string{"was a backup for 208 ms before"}, "only while"},
		{"a backup for 206 ms", func(_ *tracegen.Session, _, second *tracegen.Subflow) {
			second.Signal(tracegen.B2A, 100*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 306*ms, &mptcp.Prio{})
		}, nil, "backup"},
		{"b asks for none more, and a still does", func(_ *tracegen.Session, _, second *tracegen.Subflow) {
			second.Signal(tracegen.A2B, 100*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 200*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 1100*ms, &mptcp.Prio{})
		}, []string{"is a backup from", "by MP_PRIO of a:"}, "regular from"},
		{"all are backups", func(_ *tracegen.Session, first, second *tracegen.Subflow) {
			first.Signal(tracegen.B2A, 95*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 100*ms, &mptcp.Prio{Backup: true})
		}, []string{"every path of the connection is one"}, "only while no regular path works"},
		{"all are backups but a refused one", func(s *tracegen.Session, first, second *tracegen.Subflow) {
			first.Signal(tracegen.B2A, 95*ms, &mptcp.Prio{Backup: true})
			second.Signal(tracegen.B2A, 100*ms, &mptcp.Prio{Backup: true})
			third := s.Subflow(path(2, 10*ms))
			third.RST(tracegen.B2A, third.SYN(100*ms).ArrivesAt())
		}, []string{"every path of the connection is one"}, "only while no regular path works"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, first, second := beginTwo()
			c.play(s, first, second)
			steady(first, 110*ms, 0, 200)
			var text strings.Builder
			for _, v := range verdictsOf(see(t, s, tracegen.HostA), report.VerdictBackup) {
				if *v.Subflow == 1 {
					text.WriteString(v.Text)
				}
			}
			if c.want == nil && text.String() != "" {
				t.Errorf("the verdict %q, want none", text.String())
			}
			if slices.ContainsFunc(c.want, func(w string) bool { return !strings.Contains(text.String(), w) }) || c.not != "" && strings.Contains(text.String(), c.not) {
				t.Errorf("the verdict %q, want %q and not %q", text.String(), c.want, c.not)
			}
		})
	}
}

// TestFewBytes: 48 segments of 1000 bytes pass on subflow 0 and none on subflow 1, which gives
// the note too_short. With 150 segments the verdict is path_unused.
func TestFewBytes(t *testing.T) {
	for n, code := range map[int]report.VerdictCode{48: report.VerdictTooShort, 150: report.VerdictPathUnused} {
		s, first := begin()
		s.Subflow(path(1, 10*ms)).Open(50 * ms)
		steady(first, 110*ms, 0, n)
		first.Ack(tracegen.B2A, 4000*ms)
		d := see(t, s, tracegen.HostA)
		v := find(t, d, code)
		assert.Check(t, says(d, report.VerdictTooShort) == (code == report.VerdictTooShort), "%d segments", n)
		if code == report.VerdictTooShort && (v.Severity != report.Minor || v.Subflow == nil || *v.Subflow != 1 || !strings.Contains(v.Text, "the connection had 48 kB in all") || strings.Contains(v.Remedy, "ended before")) {
			t.Errorf("%s of %v: %s", v.Severity, v.Subflow, v.Text)
		}
	}
}
