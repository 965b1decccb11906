package conn

import (
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/tracegen"
)

// TestRolesWithoutHandshake: the capture begins in the middle, and the first packet is of the server.
// The end that has one port on both subflows listens, whatever the ports are; on one subflow it is
// the end whose port is below 1024, or the only one below 32768. Ports that tell nothing leave A to
// the sender of the first packet.
func TestRolesWithoutHandshake(t *testing.T) {
	for _, c := range []struct {
		name            string
		client          [2]uint16 // ports; the second 0 for one subflow
		server          [2]uint16
		serverAddresses [2]byte
		want            Side // of the server, which sends the first packet
	}{
		{"one address and port of the server", [2]uint16{44000, 45000}, [2]uint16{5001, 5001}, [2]byte{1, 1}, B},
		{"two addresses of the server", [2]uint16{44000, 45000}, [2]uint16{50001, 50001}, [2]byte{1, 2}, B},
		{"one port at each end", [2]uint16{50001, 50001}, [2]uint16{50002, 50002}, [2]byte{1, 2}, A},
		{"the first packet is of the end with several ports", [2]uint16{50001, 50001}, [2]uint16{44000, 45000}, [2]byte{1, 1}, A},
		{"one subflow, port below 1024", [2]uint16{2000, 0}, [2]uint16{443, 0}, [2]byte{1, 1}, B},
		{"one subflow, port below 32768", [2]uint16{32768, 0}, [2]uint16{32767, 0}, [2]byte{1, 1}, B},
		{"one subflow, both above", [2]uint16{50000, 0}, [2]uint16{40000, 0}, [2]byte{1, 1}, A},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
		n := 0
		for i := range c.client {
			if c.client[i] == 0 {
				break
			}
			p := path(i)
			p.A = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), c.client[i])
			p.B = netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, c.serverAddresses[i]}), c.server[i])
			f := s.Subflow(p)
			f.Assume()
			for k := range 40 {
				f.Data(b2a, time.Duration(i+k*2)*10*ms, int64(i*1000+k*2000), 1000)
			}
			n++
		}
		r := &recorder{}
		table := NewTable(Options{}, r)
		for _, seg := range segments(t, s.Packets(tracegen.HostB), tracegen.LinkRaw) {
			table.Segment(&seg)
		}
		table.Finish()
		conn := r.only(t).c
		assert.Assert(t, len(conn.Subflows) == n, "%s: %d subflows, want %d", c.name, len(conn.Subflows), n)
		for i, sub := range conn.Subflows {
			if sub.Ends[c.want].Port != c.server[i] || sub.Ends[c.want.Other()].Port != c.client[i] {
				t.Errorf("%s: subflow %d has ports %d at a and %d at b", c.name, i, sub.Ends[A].Port, sub.Ends[B].Port)
			}
		}
	}
}
