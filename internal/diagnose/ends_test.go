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

// without fails where a report has a verdict of one of these codes.
func without(t *testing.T, what string, d *report.Document, none ...report.VerdictCode) {
	t.Helper()
	for _, v := range *d.Connections[0].Verdicts {
		assert.Check(t, !slices.Contains(none, v.Code), "%s: %s: %s", what, v.Code, v.Text)
	}
}

var bothHosts = []tracegen.View{tracegen.HostA, tracegen.HostB}

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
		all := verdictsOf(d, report.VerdictPathRemoved)
		assert.Check(t, len(all) == 2, "view %v: %+v", view, all)
		for _, v := range all {
			assert.Check(t, strings.Contains(v.Text, "address id 1"), "view %v: %s", view, v.Text)
		}
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

// TestWithdrawnAndClosed: a withdraws the address of a subflow and closes it by FIN, the initial subflow (address id 0) or another,
// while data goes on over the other one: the path was removed. If the data ends with it, the connection was over.
func TestWithdrawnAndClosed(t *testing.T) {
	for _, view := range bothHosts {
		for _, gone := range []int{0, 1} {
			for _, goesOn := range []bool{true, false} {
				s, first, second := beginTwo()
				all := []*tracegen.Subflow{first, second}
				steady(all[gone], 500*ms, 0, 50)
				all[gone].FIN(tracegen.A2B, 1050*ms)
				all[gone].FIN(tracegen.B2A, 1061*ms)
				all[1-gone].Signal(tracegen.A2B, 1051*ms, removal(uint8(gone)))
				if goesOn {
					steady(all[1-gone], 500*ms, 50000, 400)
				}
				what, removed := fmt.Sprintf("view %v, subflow %d, goes on %v", view, gone, goesOn), verdictsOf(see(t, s, view), report.VerdictPathRemoved)
				if !goesOn {
					assert.Check(t, len(removed) == 0, "%s: %+v", what, removed)
					continue
				}
				assert.Assert(t, len(removed) == 1, "%s: %+v", what, removed)
				assert.Check(t, *removed[0].Subflow == gone && strings.Contains(removed[0].Text, "which then was closed"), "%s: %s", what, removed[0].Text)
			}
		}
	}
}
