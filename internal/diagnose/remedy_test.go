package diagnose_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// verdictsOf returns the verdicts of a code in a report; those of all codes if it is empty.
func verdictsOf(d *report.Document, code report.VerdictCode) []report.Verdict {
	var all []report.Verdict
	for i := range d.Connections {
		all = append(all, report.Items(d.Connections[i].Verdicts)...)
	}
	for i := range d.TCP {
		all = append(all, d.TCP[i].Verdicts...)
	}
	return slices.DeleteFunc(all, func(v report.Verdict) bool { return code != "" && v.Code != code })
}

// TestRemedies: a remedy names the path, the host and the settings of the kernel that speaks the
// version. It leaves out settings that cannot be the cause according to the capture.
func TestRemedies(t *testing.T) {
	for _, c := range []struct {
		name, end  string
		code       report.VerdictCode
		want, none string
	}{
		{"v1/e-slow-reader", "server", report.VerdictWindowClosed, "Let the application on a (10.2.1.1) read faster", "tcp_rmem"},
		{"v1/d-three-bulk", "server", report.VerdictWindowClosed, "most for subflow 0 (10.2.1.1-10.2.100.2): make that path quicker or a backup", "tcp_rmem"},
		{"v1/d-three-bulk", "server", report.VerdictHoLBlocked, "ip mptcp endpoint change id N backup", "blest"},
		{"v1/d-three-bulk", "server", report.VerdictHeavyLoss, "A queue on subflow 0 (10.2.1.1-10.2.100.2) overflows", "net.mptcp.mptcp_"},
		{"v1/b-lte-reno", "server", report.VerdictHoLBlocked, "too much to make it a backup", "ip mptcp"},
		{"v1/e-slow-reader", "server", report.VerdictPathIdle, "See receive_window first", "ip mptcp"},
		{"v1/f-handover", "client", report.VerdictPathDied, "net.mptcp.stale_loss_cnt", "multipath off"},
		{"v0/backup", "client", report.VerdictPathDied, "ip link set dev INTERFACE multipath off", "stale_loss_cnt"},
		{"v0/ndiffports", "client", report.VerdictSinglePath, "net.mptcp.mptcp_path_manager=fullmesh", "ip mptcp"},
		{"v0/sched-redundant", "client", report.VerdictCopies, "net.mptcp.mptcp_scheduler=default", "stale_loss_cnt"},
		{"v1/j-plain-server", "server", report.VerdictPeerPlain, "IPPROTO_MPTCP", "mptcp_enabled"},
	} {
		t.Run(c.name+" "+string(c.code), func(t *testing.T) {
			all := verdictsOf(analyze(t, session(t, c.name, c.end)...), c.code)
			assert.Assert(t, len(all) != 0, "no such verdict")
			if got := all[0].Remedy; !strings.Contains(got, c.want) || strings.Contains(got, c.none) {
				t.Errorf("%s\nwant %q and no %q", got, c.want, c.none)
			}
		})
	}
}

// TestCosts: the seconds and bytes of a verdict are those of its proofs.
func TestCosts(t *testing.T) {
	window := verdictsOf(analyze(t, session(t, "v1/e-small-rcvbuf", "server")...), report.VerdictWindowClosed)[0]
	if window.CostS == nil || *window.CostS < 7.345 || *window.CostS > 9.04 { // rwnd_limited_ms is 7345, less than a segment left is more; 9.03 s in all
		t.Errorf("window: %v s", window.CostS)
	}
	copies := verdictsOf(analyze(t, session(t, "v0/sched-redundant", "client")...), report.VerdictCopies)[0]
	if copies.CostBytes == nil || float64(*copies.CostBytes) != *copies.Evidence[1].Value {
		t.Errorf("copies: %v bytes, %+v", copies.CostBytes, copies.Evidence)
	}
	d := analyze(t, session(t, "v1/b-lte-reno", "server")...)
	loss := verdictsOf(d, report.VerdictHeavyLoss)[0]
	s := d.Connections[0].Subflows[*loss.Subflow].B2A
	if want := math.Round(float64(s.Drops.Count) * float64(*s.Bytes) / float64(s.Segments)); loss.CostBytes == nil || float64(*loss.CostBytes) != want {
		t.Errorf("loss: %v bytes, want %.0f", loss.CostBytes, want)
	}
	for _, v := range verdictsOf(d, report.VerdictHoLBlocked) {
		added := 100 * d.Connections[0].B2A.HoLBlocking.Avg / d.Connections[0].B2A.ProtocolDelay.Avg
		if v.Cost == nil || *v.Cost > added {
			t.Errorf("head-of-line blocking of subflow %d: %v %%, all add %.1f %%", *v.Subflow, v.Cost, added)
		}
	}
}
