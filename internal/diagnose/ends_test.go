package diagnose_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// codes returns the codes of a report's first connection, each once, in their order.
func codes(d *report.Document) (out []report.VerdictCode) {
	for _, v := range *d.Connections[0].Verdicts {
		if !slices.Contains(out, v.Code) {
			out = append(out, v.Code)
		}
	}
	return out
}

// without fails where a report has a verdict of one of these codes.
func without(t *testing.T, what string, d *report.Document, none ...report.VerdictCode) {
	t.Helper()
	for _, v := range *d.Connections[0].Verdicts {
		assert.Check(t, !slices.Contains(none, v.Code), "%s: %s: %s", what, v.Code, v.Text)
	}
}

var bothHosts = []tracegen.View{tracegen.HostA, tracegen.HostB}

// TestResetAtTheEnd: the DATA_FIN is acknowledged, then one subflow is reset while the
// other still repeats its last data for 2 s. No path died.
func TestResetAtTheEnd(t *testing.T) {
	for _, view := range bothHosts {
		s, first, second := beginTwo()
		second.Data(tracegen.A2B, 200*ms, 0, 1000)
		steady(first, 250*ms, 1000, 200)
		end := first.DataFIN(tracegen.A2B, 2300*ms, 201_000)
		second.RST(tracegen.B2A, 2400*ms, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
		end.Again(2600 * ms)
		steadyAgain(first, 2700*ms, 20)
		without(t, fmt.Sprint("view ", view), see(t, s, view), report.VerdictPathDied)
	}
}

// steadyAgain sends the same 1000 bytes of a subflow every 100 ms, and their ACKs.
func steadyAgain(f *tracegen.Subflow, at time.Duration, n int) {
	x := f.Data(tracegen.A2B, at, 0, 1000)
	for i := 1; i < n; i++ {
		x.Again(at + time.Duration(i)*100*ms)
	}
}

// removal returns a REMOVE_ADDR of one address id.
func removal(id uint8) *mptcp.RemoveAddr {
	o := &mptcp.RemoveAddr{N: 1}
	o.List[0] = id
	return o
}

// TestWithdrawnTwice: the subflow with address id 1 is withdrawn and reset. 500 ms later a second
// one with the same id takes its place. It is withdrawn too, 1.5 s after its last data. Both were
// withdrawn, neither died.
func TestWithdrawnTwice(t *testing.T) {
	for _, view := range bothHosts {
		s, first := begin()
		steady(first, 100*ms, 3000, 600)
		for k := range 2 {
			at := time.Duration(k) * 2000 * ms
			p := path(1, 10*ms)
			p.A = netip.AddrPortFrom(p.A.Addr(), uint16(20001+k))
			f := s.Subflow(p)
			f.Open(at + 500*ms)
			f.Data(tracegen.A2B, at+800*ms, int64(k)*1000, 1000)
			first.Signal(tracegen.A2B, at+2300*ms, removal(1))
			f.RST(tracegen.A2B, at+2301*ms, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
		}
		d := see(t, s, view)
		without(t, fmt.Sprint("view ", view), d, report.VerdictPathDied)
		n := 0
		for _, v := range *d.Connections[0].Verdicts {
			if v.Code == report.VerdictPathRemoved && strings.Contains(v.Text, "address id 1") {
				n++
			}
		}
		if n != 2 {
			t.Errorf("view %v: %d verdicts path_removed, want 2; all: %v", view, n, codes(d))
		}
	}
}

// TestClosedBackup: subflow 1 is made a backup by MP_PRIO and closed with FINs, one of
// which is followed by a RST; the data goes on for 3 s elsewhere.
func TestClosedBackup(t *testing.T) {
	for _, view := range bothHosts {
		s, first, second := beginTwo()
		second.Data(tracegen.A2B, 200*ms, 0, 1000)
		second.Signal(tracegen.A2B, 300*ms, &mptcp.Prio{Backup: true})
		second.FIN(tracegen.B2A, 400*ms)
		second.RST(tracegen.A2B, 430*ms)
		steady(first, 250*ms, 1000, 300)
		without(t, fmt.Sprint("view ", view), see(t, s, view), report.VerdictPathDied, report.VerdictPathIdle)
	}
}

// TestDeadPathIsNotIdle: subflow 1 carries nothing for 2 s. Then it gets a segment, which is
// lost, and it is silent to the end. So it died, and the scheduler did not leave it idle.
func TestDeadPathIsNotIdle(t *testing.T) {
	for _, view := range bothHosts {
		s, first, second := beginTwo()
		steady(first, 100*ms, 0, 190)
		second.Data(tracegen.A2B, 2000*ms, 190_000, 1000).Lose()
		steady(first, 2005*ms, 191_000, 29)
		first.Data(tracegen.A2B, 2300*ms, 190_000, 1000)
		steady(first, 2305*ms, 220_000, 200)
		first.Ack(tracegen.B2A, 6000*ms)
		d := see(t, s, view)
		find(t, d, report.VerdictPathDied)
		without(t, fmt.Sprint("view ", view), d, report.VerdictPathIdle, report.VerdictPathUnused)
	}
}
