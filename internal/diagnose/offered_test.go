package diagnose_test

import (
	"net/netip"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestAnnouncesItsOwnAddress: b announces the address that the only subflow has, without a port or
// with another one. No path can come of that, and nobody is told to open a subflow to it. Another
// address is one.
func TestAnnouncesItsOwnAddress(t *testing.T) {
	for _, c := range []struct {
		addr string
		port uint16
		own  bool
	}{{"198.51.100.1", 0, true}, {"198.51.100.1", 8443, true}, {"198.51.100.2", 0, false}} {
		s, first := begin()
		first.Signal(tracegen.B2A, 60*ms, s.AddAddr(tracegen.B2A, mptcp.AddAddr{AddressID: 1, Addr: netip.MustParseAddr(c.addr), Port: c.port, HasPort: c.port > 0}))
		steady(first, 100*ms, 0, 200)
		v := find(t, see(t, s, tracegen.HostA), report.VerdictSinglePath)
		told, asked := strings.Contains(v.Text, "b announced 198.51.100.1, which the subflow has already"), strings.Contains(v.Remedy, "open a subflow to")
		assert.Check(t, told == c.own && asked != c.own, "%s port %d: %q, %q", c.addr, c.port, v.Text, v.Remedy)
	}
}

// TestTriedInVain: no SYN of a's join comes to b. In a capture at b it may have been tried; a capture at
// a would show it.
func TestTriedInVain(t *testing.T) {
	for view, want := range map[tracegen.View]bool{tracegen.HostA: false, tracegen.HostB: true} {
		s, first := begin()
		steady(first, 100*ms, 0, 200)
		v := find(t, see(t, s, view), report.VerdictSinglePath)
		assert.Check(t, strings.Contains(v.Text, "SYNs with MP_JOIN were lost or dropped before this capture") == want, "view %d: %q", view, v.Text)
	}
}
