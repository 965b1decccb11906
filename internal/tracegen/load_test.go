package tracegen

import (
	"net/netip"
	"testing"
	"time"
)

func TestLoad(t *testing.T) {
	type flow struct{ src, dst netip.AddrPort }
	var (
		last   int64
		flows  = map[flow]int{}
		resent = map[flow]map[uint32]int{}
		fins   int
		// What the server sees: packets with payload.
		arrived = map[flow]int{}
		l       = Load{Packets: 20_000, Long: 2, Short: 50, Delay: 25 * time.Millisecond, Seed: 1, Keep: 128}
	)
	l.Play(func(p *Packet) {
		if p.Time < last {
			t.Fatalf("packet at %d follows one at %d", p.Time, last)
		}
		last = p.Time
		f := flow{p.Src, p.Dst}
		flows[f]++
		if p.Flags&FIN != 0 {
			fins++
		}
		if p.WirePayload() > 0 {
			if resent[f] == nil {
				resent[f] = map[uint32]int{}
			}
			resent[f][uint32(p.Seq)]++
		}
	}, func(p *Packet) {
		if p.WirePayload() > 0 {
			arrived[flow{p.Src, p.Dst}]++
		}
	})
	if l.written < 20_000 || l.written > 40_000 {
		t.Errorf("%d packets, want a little more than 20000", l.written)
	}
	// The upload loses what is seen again, and no copy; nothing else of the
	// client's is lost.
	for f, seqs := range resent {
		if fromClient := f.dst.Port() == 443; fromClient && arrived[f] != len(seqs) {
			t.Errorf("the server saw %d segments from %v, want %d", arrived[f], f.src, len(seqs))
		}
	}
	// Two long connections of two subflows, 25 short ones of one and 25 of
	// two: 4 + 25 + 50 subflows, each in two directions.
	if want := 2 * (4 + 25 + 50); len(flows) != want || fins != want {
		t.Errorf("%d directions and %d FINs, want %d of each", len(flows), fins, want)
	}
	again := 0
	for _, seqs := range resent {
		for _, n := range seqs {
			again += n - 1
		}
	}
	// The upload's retransmissions are seen from the client: 0.2 % of about
	// 6000 segments; those of the download's losses never reached it before.
	if again < 1 || again > 100 {
		t.Errorf("%d segments seen again, want a few", again)
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
		if len(clients) != want || opened != 5*want {
			t.Errorf("path %d: %d addresses, %d SYNs; want %d and %d", only, len(clients), opened, want, 5*want)
		}
	}
}
