package main

import (
	"bytes"
	"crypto/sha256"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
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
		l       = load{packets: 20_000, long: 2, short: 50, delay: 25 * time.Millisecond, seed: 1, keep: 128}
	)
	l.play(func(p *tracegen.Packet) {
		if p.Time < last {
			t.Fatalf("packet at %d follows one at %d", p.Time, last)
		}
		last = p.Time
		f := flow{p.Src, p.Dst}
		flows[f]++
		if p.Flags&tracegen.FIN != 0 {
			fins++
		}
		if p.WirePayload() > 0 {
			if resent[f] == nil {
				resent[f] = map[uint32]int{}
			}
			resent[f][uint32(p.Seq)]++
		}
	}, func(p *tracegen.Packet) {
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

// The same flags give the same file.
func TestWriteIsReproducible(t *testing.T) {
	var sums [2][32]byte
	for i := range sums {
		name := filepath.Join(t.TempDir(), "x.pcap")
		l := load{packets: 2000, long: 2, short: 5, delay: 25 * time.Millisecond, seed: 7, keep: 96}
		if err := write([2]string{name}, tracegen.Format{SnapLen: 96}, &l); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, []byte{0xd4, 0xc3, 0xb2, 0xa1}) {
			t.Errorf("file begins with % x", b[:4])
		}
		sums[i] = sha256.Sum256(b)
	}
	if sums[0] != sums[1] {
		t.Error("two runs with one seed differ")
	}
}

// A load has the number of long connections and the path of its options.
func TestLoadShape(t *testing.T) {
	for only, want := range map[int]int{0: 2, 1: 1, 2: 1} { // addresses of the client
		clients, opened := map[netip.Addr]bool{}, 0
		l := load{packets: 4000, long: 5, seed: 3, keep: 96, delay: 200 * time.Millisecond, only: only}
		l.play(func(p *tracegen.Packet) {
			if p.Dst.Port() == 443 {
				clients[p.Src.Addr()] = true
				if p.Flags == tracegen.SYN {
					opened++
				}
			}
		}, nil)
		if len(clients) != want || opened != 5*want {
			t.Errorf("path %d: %d addresses, %d SYNs; want %d and %d", only, len(clients), opened, want, 5*want)
		}
	}
}
