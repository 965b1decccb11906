package tracegen

import (
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// TestLoad: two long connections of two subflows, 25 short ones of one and 25 of two are 4 + 25 + 50
// subflows, each in two directions with a FIN. Of the upload, 0.2 % of some 6000 segments are lost
// behind the client and seen again there.
func TestLoad(t *testing.T) {
	type flow struct{ src, dst netip.AddrPort }
	last, again, fins := int64(0), 0, 0
	flows := map[flow]map[uint32]bool{} // the sequence numbers of data
	l := Load{Packets: 20_000, Long: 2, Short: 50, Delay: 25 * time.Millisecond, Seed: 1, Keep: 128}
	l.Play(func(p *Packet) {
		assert.Assert(t, p.Time >= last, "packet at %d follows one at %d", p.Time, last)
		last = p.Time
		f := flow{p.Src, p.Dst}
		if flows[f] == nil {
			flows[f] = map[uint32]bool{}
		}
		if p.Flags&FIN != 0 {
			fins++
		}
		if p.WirePayload() > 0 {
			if flows[f][uint32(p.Seq)] {
				again++
			}
			flows[f][uint32(p.Seq)] = true
		}
	}, nil)
	if want := 2 * (4 + 25 + 50); len(flows) != want || fins != want {
		t.Errorf("%d directions and %d FINs, want %d of each", len(flows), fins, want)
	}
	if l.written < 20_000 || l.written > 40_000 || again < 1 || again > 100 {
		t.Errorf("%d packets, %d segments seen again; want a little more than 20000, and a few", l.written, again)
	}
}

// A load has the number of long connections and the path of its options.
func TestLoadShape(t *testing.T) {
	for only, want := range map[int]int{0: 2, 1: 1, 2: 1} { // addresses of the client
		clients, opened := map[netip.Addr]bool{}, 0
		l := Load{Packets: 4000, Long: 5, Seed: 3, Keep: 96, Delay: 200 * time.Millisecond, Only: only}
		l.Play(func(p *Packet) {
			if p.Dst.Port() == 443 {
				clients[p.Src.Addr()] = true
				if p.Flags == SYN {
					opened++
				}
			}
		}, nil)
		assert.Check(t, len(clients) == want && opened == 5*want, "path %d: %d addresses, %d SYNs; want %d and %d", only, len(clients), opened, want, 5*want)
	}
}
