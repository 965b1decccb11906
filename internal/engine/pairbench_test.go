package engine_test

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// transferOfTwo plays an upload of so many packets over two paths, which lose one
// in 500 and delay the others by up to 3 ms. Uploads of different numbers are different
// connections.
func transferOfTwo(number, packets int) *tracegen.Session {
	const length = 1000
	random := rand.New(rand.NewPCG(5, uint64(6+number)))
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 2, Keys: [2]uint64{uint64(1 + number), uint64(101 + number)}})
	paths := make([]*tracegen.Subflow, 2)
	for i := range paths {
		paths[i] = s.Subflow(tracegen.Path{
			A:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(1001+i+10*number)),
			B:   netip.MustParseAddrPort("198.51.100.1:443"),
			ISN: [2]seq.Wire{seq.Wire(1000 * (i + 1)), seq.Wire(77 * (i + 1))}, Nonce: [2]uint32{uint32(1 + i), 9}, ID: [2]uint8{uint8(i), 0},
		})
		paths[i].Open(time.Duration(50*i) * time.Millisecond)
	}
	at := 200 * time.Millisecond
	for i := range packets {
		x := paths[random.IntN(2)].Data(tracegen.A2B, at, int64(length*i), length)
		if at += 100 * time.Microsecond; random.IntN(500) == 0 {
			x.Lose().Again(x.SentAt() + 40*time.Millisecond)
		} else if i%64 == 0 {
			x.Late(time.Duration(random.IntN(3000)) * time.Microsecond)
		}
	}
	s.Close(at+time.Second, int64(packets*length), 0)
	return s
}

// BenchmarkPair measures everything from two captures to one report.
func BenchmarkPair(b *testing.B) {
	s := transferOfTwo(0, 60_000)
	sender, receiver := s.Packets(tracegen.HostA), s.Packets(tracegen.HostB)
	o := engine.Options{
		Paths:    []string{writeView(b, "sender.pcap", sender, tracegen.Format{SnapLen: 128}, nil)},
		Receiver: []string{writeView(b, "receiver.pcap", receiver, tracegen.Format{SnapLen: 128}, nil)},
		Interval: 100 * time.Millisecond, Connection: engine.AllConnections,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Analyze(context.Background(), o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(sender)+len(receiver)), "ns/packet")
}
