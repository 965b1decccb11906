package tracegen

import (
	"math/rand/v2"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// deliver reads what arrived at host B as a host would, byte by byte: each
// byte under its mapping, the stream in order. It shares no code with the
// session that wrote the packets.
func deliver(t *testing.T, s *Session) (stream map[uint64]byte) {
	t.Helper()
	stream = map[uint64]byte{}
	for _, p := range s.Packets(HostB) {
		if p.Side != Incoming || len(p.Payload) == 0 {
			continue
		}
		d := dss(t, &p)
		isn := seq.Wire(0)
		for _, f := range s.subflows {
			if f.path.A == p.Src {
				isn = f.path.ISN[A2B]
			}
		}
		skip := uint32(p.Seq-isn) - d.SSN // where in the mapping the segment begins
		if int(skip)+len(p.Payload) > int(d.Length) {
			t.Fatalf("segment %d+%d is not within its mapping of %d", skip, len(p.Payload), d.Length)
		}
		for i, b := range p.Payload {
			stream[d.DSN+uint64(skip)+uint64(i)-s.IDSN(A2B)-1] = b
		}
	}
	return stream
}

// play scripts a random transfer: mappings of one to four segments on two
// subflows, some segments lost and repaired on their own or the other one.
func play(r *rand.Rand) (s *Session, length int64) {
	s = NewSession(Config{Version: uint8(r.IntN(2)), AckEvery: 1 + r.IntN(3), DataAck4: r.IntN(2) == 0})
	pair := [2]*Subflow{
		s.Subflow(Path{A: v4a, B: v4b, ISN: [2]seq.Wire{seq.Wire(r.Uint32()), 9}}),
		s.Subflow(Path{A: v6a, B: v6b, ISN: [2]seq.Wire{0xffffff80, 9}, Delay: [2]time.Duration{3 * ms, 40 * ms}}),
	}
	pair[0].Assume()
	pair[1].Assume()
	now := time.Duration(0)
	for range 100 {
		f := r.IntN(2)
		size, n := 1+r.IntN(500), 1+r.IntN(4)
		m := pair[f].Map(A2B, length, n*size)
		for k := range n {
			now += time.Duration(r.IntN(3000)) * time.Microsecond
			x := m.Send(now, k*size, size)
			switch r.IntN(20) {
			case 0:
				x.Lose().Again(now + 100*ms)
			case 1:
				x.LoseEarly().Again(now + 100*ms)
				pair[1-f].Data(A2B, now+90*ms, length+int64(k*size), size)
			case 2:
				x.Late(20 * ms)
			case 3:
				x.Twice(5 * ms)
			}
		}
		length += int64(n * size)
	}
	return s, length
}

func TestRandomTransfersArriveWhole(t *testing.T) {
	for seed := range uint64(50) {
		s, length := play(rand.New(rand.NewPCG(seed, 0)))
		got := deliver(t, s)
		if int64(len(got)) != length {
			t.Fatalf("seed %d: %d bytes arrived, want %d", seed, len(got), length)
		}
		for at, b := range got {
			if b != streamByte(A2B, int64(at)) {
				t.Fatalf("seed %d: byte %d is wrong", seed, at)
			}
		}
		var last mptcp.DSS
		previous := uint64(0)
		for _, p := range s.Packets(HostB) {
			if p.Side != Outgoing {
				continue
			}
			last = dss(t, &p)
			ack := last.DataAck
			if !last.Has(mptcp.DSSAck8) {
				ack = s.IDSN(A2B) + uint64(uint32(ack)-uint32(s.IDSN(A2B)))
			}
			if ack < previous {
				t.Fatalf("seed %d: DATA_ACK goes back from %d to %d", seed, previous, ack)
			}
			previous = ack
		}
		if want := s.DSN(A2B, length); previous != want {
			t.Errorf("seed %d: last DATA_ACK %d, want %d", seed, previous, want)
		}
	}
}

// A cumulative ACK never passes what has arrived, and a SACK block never
// names what has not (RFC 2018, Section 3).
func TestRandomTransfersAreAcknowledgedHonestly(t *testing.T) {
	for seed := range uint64(50) {
		s, _ := play(rand.New(rand.NewPCG(seed, 1)))
		var arrived [2]seq.Set[seq.SSN]
		for i := range arrived {
			arrived[i].Add(seq.Range[seq.SSN]{Start: 0, End: 1})
		}
		for _, p := range s.Packets(HostB) {
			i := 0
			if p.Src == v6a || p.Dst == v6a {
				i = 1
			}
			isn := s.subflows[i].path.ISN[A2B]
			position := func(w seq.Wire) seq.SSN { return seq.SSN(uint32(w - isn)) }
			if p.Side == Incoming {
				arrived[i].Add(seq.Range[seq.SSN]{Start: position(p.Seq), End: position(p.Seq) + seq.SSN(len(p.Payload))})
				continue
			}
			if got, want := position(p.Ack), arrived[i].FirstGap(0); got != want {
				t.Fatalf("seed %d: ACK %d, want %d", seed, got, want)
			}
			for _, b := range sacks(&p) {
				if r := (seq.Range[seq.SSN]{Start: position(b.Left), End: position(b.Right)}); !arrived[i].Covers(r) {
					t.Fatalf("seed %d: SACK block %v has not arrived", seed, r)
				}
			}
		}
	}
}
