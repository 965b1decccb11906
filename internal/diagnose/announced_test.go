package diagnose_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestAddAddrRepeated: b announces an address, and repeats ADD_ADDR after its retransmission timeout, which
// doubles, or after a longer time. With an IPv6 address and a port no TCP timestamps fit beside it. The repetitions are
// counted, whatever lies between them, and packets without timestamps are no sign of anything.
func TestAddAddrRepeated(t *testing.T) {
	v6 := mptcp.AddAddr{AddressID: 5, Addr: netip.MustParseAddr("2001:db8::9"), Port: 7777, HasPort: true}
	v4 := mptcp.AddAddr{AddressID: 5, Addr: netip.MustParseAddr("203.0.113.9")}
	for _, c := range []struct {
		name   string
		addr   mptcp.AddAddr
		after  []time.Duration // of the first
		echoed bool
		stamps bool
	}{
		{"by the round trip", v4, []time.Duration{0, 201 * ms, 603 * ms, 1407 * ms}, false, true},
		{"by a fixed time", v4, []time.Duration{0, 1000 * ms, 2000 * ms, 3000 * ms}, false, true},
		{"IPv6 and a port, by the round trip", v6, []time.Duration{0, 201 * ms, 603 * ms, 1407 * ms}, false, false},
		{"IPv6 and a port, by a fixed time", v6, []time.Duration{0, 1000 * ms, 2000 * ms, 3000 * ms}, false, false},
		{"IPv6 and a port, confirmed", v6, []time.Duration{0}, true, false},
	} {
		for _, view := range bothHosts {
			s, first := begin()
			steady(first, 100*ms, 0, 400)
			for _, after := range c.after {
				first.Signal(tracegen.B2A, 117*ms+after, s.AddAddr(tracegen.B2A, c.addr)).Edit(func(p *tracegen.Packet) {
					assert.Check(t, (p.Options[0] == 1) == c.stamps, "%s: % x", c.name, p.Options) // NOP, NOP, timestamps
				})
			}
			if echo := c.addr; c.echoed {
				echo.Echo = true
				first.Signal(tracegen.A2B, 138*ms, s.AddAddr(tracegen.A2B, echo))
			}
			d := see(t, s, view)
			want := "add_addr_not_joined single_path"
			if !c.echoed {
				want = "add_addr_not_echoed " + want
				v := find(t, d, report.VerdictAddAddrNotEchoed)
				assert.Check(t, strings.Contains(v.Text, fmt.Sprintf("%d times and a never confirmed it (no echo)", len(c.after))), "%s: %s", c.name, v.Text)
			}
			got, _ := names(d)
			assert.Check(t, strings.Join(got, " ") == want, "%s, view %d: %v", c.name, view, got)
			sub := &d.Connections[0].Subflows[0]
			assert.Check(t, *sub.A2B.Timestamps && *sub.B2A.Timestamps && *sub.B2A.DupAcks == 0, "%s", c.name)
			assert.Check(t, len(d.Warnings) == 0, "%s: %v", c.name, d.Warnings)
		}
	}
}
