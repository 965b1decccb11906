package diagnose_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
)

// TestRemediesOfKernel: the kernel that the user names decides on the settings in every
// remedy, of captures of one host and of both, also where the capture changes the sentences.
func TestRemediesOfKernel(t *testing.T) {
	for _, c := range []struct {
		name, end, receiver string
		kernel              remedy.Kernel
		code                report.VerdictCode
		want, none          string
	}{
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
			o := engine.Options{Paths: session(t, c.name, c.end), Kernel: c.kernel, Interval: 100 * time.Millisecond, Connection: engine.AllConnections}
			if c.receiver != "" {
				o.Receiver = session(t, c.name, c.receiver)
			}
			d, err := engine.Analyze(context.Background(), o)
			assert.NilError(t, err)
			all := verdictsOf(d, c.code)
			assert.Assert(t, len(all) != 0, "no such verdict")
			settings := 0
			for _, v := range all {
				if strings.Contains(v.Remedy, c.want) {
					settings++
				}
				assert.Check(t, !strings.Contains(v.Remedy, c.none), "%q is in: %s", c.none, v.Remedy)
			}
			if settings == 0 {
				t.Errorf("no %q in: %s", c.want, all[0].Remedy)
			}
		})
	}
}
