package diagnose_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

// verdictsOf returns the verdicts of a code in a report; those of all codes if it is empty.
func verdictsOf(d *report.Document, code report.VerdictCode) []report.Verdict {
	var all []report.Verdict
	for i := range d.Connections {
		all = append(all, report.Known(d.Connections[i].Verdicts)...)
	}
	for i := range d.TCP {
		all = append(all, d.TCP[i].Verdicts...)
	}
	return slices.DeleteFunc(all, func(v report.Verdict) bool { return code != "" && v.Code != code })
}

// says reports whether a report has a verdict of a code.
func says(d *report.Document, code report.VerdictCode) bool { return len(verdictsOf(d, code)) > 0 }

// TestRemedies: a remedy names the path, the host and the settings of the kernel that speaks the
// version, or of the one that the user names; of captures of one host and of both. It leaves out settings
// that cannot be the cause according to the capture.
func TestRemedies(t *testing.T) {
	for _, c := range []struct {
		name, end, receiver string
		kernel              sentences.Kernel
		code                report.VerdictCode
		want, none          string
	}{
		{"v1/e-slow-reader", "server", "", "", report.VerdictWindowClosed, "Let the application on a (10.2.1.1) read faster", "tcp_rmem"},
		{"v1/d-three-bulk", "server", "", "", report.VerdictWindowClosed, "most for subflow 0 (10.2.1.1-10.2.100.2): make that path quicker or a backup", "tcp_rmem"},
		{"v1/d-three-bulk", "server", "", "", report.VerdictHoLBlocked, "ip mptcp endpoint change id N backup", "blest"},
		{"v1/d-three-bulk", "server", "", "", report.VerdictHeavyLoss, "A queue on subflow 0 (10.2.1.1-10.2.100.2) overflows", "net.mptcp.mptcp_"},
		{"v1/b-lte-reno", "server", "", "", report.VerdictHoLBlocked, "too much to make it a backup", "ip mptcp"},
		{"v1/e-slow-reader", "server", "", "", report.VerdictPathIdle, "See receive_window first", "ip mptcp"},
		{"v0/backup", "client", "", "", report.VerdictPathDied, "ip link set dev INTERFACE multipath off", "stale_loss_cnt"},
		{"v0/ndiffports", "client", "", "", report.VerdictSinglePath, "net.mptcp.mptcp_path_manager=fullmesh", "ip mptcp"},
		{"v0/sched-redundant", "client", "", "", report.VerdictCopies, "net.mptcp.mptcp_scheduler=default", "stale_loss_cnt"},
		{"v1/j-plain-server", "server", "", "", report.VerdictPeerPlain, "IPPROTO_MPTCP", "mptcp_enabled"},
		{"v1/f-handover", "client", "", "", report.VerdictPathDied, "Linux 5.15 and later: ip mptcp endpoint delete id N", "multipath off"},
		{"v1/f-handover", "client", "", "6.12", report.VerdictPathDied, "Linux 6.12: ip mptcp endpoint delete id N", "and later"},
		{"v1/f-handover", "client", "", "5.10", report.VerdictPathDied, "Linux 5.10: ip mptcp endpoint delete id N", "stale_loss_cnt"},
		{"v1/f-handover", "client", "", "0.9x", report.VerdictPathDied, "ip link set dev INTERFACE multipath off", "ip mptcp"},
		{"v1/f-handover", "server", "client", "omr", report.VerdictPathDied, "OpenMPTCProuter: Network > MPTCP", "ip mptcp"},
		{"v1/d-three-bulk", "server", "client", "6.6", report.VerdictHoLBlocked, "Linux 6.6: ip mptcp endpoint change id N backup", "bpf_"},
		{"v1/d-three-bulk", "server", "client", "omr", report.VerdictHoLBlocked, "OpenMPTCProuter: Network > MPTCP", "ip mptcp"},
		{"v0/ndiffports", "client", "", "omr", report.VerdictSinglePath, "Max subflows", "ndiffports"},
		{"v1/j-plain-server", "server", "", "0.9x", report.VerdictPeerPlain, "net.mptcp.mptcp_enabled=1", "IPPROTO_MPTCP"},
	} {
		t.Run(c.name+" "+string(c.code)+" "+string(c.kernel), func(t *testing.T) {
			o := engine.Options{Paths: session(t, c.name, c.end), Kernel: c.kernel}
			if c.receiver != "" {
				o.Receiver = session(t, c.name, c.receiver)
			}
			all := verdictsOf(analyzeAs(t, o), c.code)
			assert.Assert(t, len(all) != 0, "no such verdict")
			assert.Check(t, slices.ContainsFunc(all, func(v report.Verdict) bool { return strings.Contains(v.Remedy, c.want) }), "no %q in: %s", c.want, all[0].Remedy)
			for _, v := range all {
				assert.Check(t, !strings.Contains(v.Remedy, c.none), "%q is in: %s", c.none, v.Remedy)
			}
		})
	}
}
