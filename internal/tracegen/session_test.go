package tracegen

import (
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

const ms = time.Millisecond

// signal returns the first MPTCP option of a subtype.
func signal(p *Packet, sub mptcp.Subtype) []byte {
	for b := p.Options; len(b) > 0; {
		switch {
		case b[0] == kindNOP:
			b = b[1:]
		case b[0] == mptcp.Kind && mptcp.Subtype(b[2]>>4) == sub:
			return b[:b[1]]
		default:
			b = b[b[1]:]
		}
	}
	return nil
}

func dss(t *testing.T, p *Packet) mptcp.DSS {
	t.Helper()
	var d mptcp.DSS
	assert.NilError(t, mptcp.ParseDSS(signal(p, mptcp.SubDSS), &d), "packet at %d", p.Time)
	return d
}

// at returns the times of packets since the network's start.
func at(packets []Packet) (out []time.Duration) {
	for _, p := range packets {
		out = append(out, time.Duration(p.Time-Start.UnixNano()))
	}
	return out
}

func onePath(isn seq.Wire) Path { return Path{A: v4a, B: v4b, ISN: [2]seq.Wire{isn, 5000}} }

// TestTimes: the times at which each place sees the packets of a handshake, a round trip of 10 and
// 30 ms, and of packets with each fate.
func TestTimes(t *testing.T) {
	opened := NewSession(Config{Version: 1})
	p := onePath(1000)
	p.Delay = [2]time.Duration{10 * ms, 30 * ms}
	h := opened.Subflow(p).Open(5 * ms)
	fates := NewSession(Config{Plain: true})
	f := fates.Subflow(onePath(0))
	f.Assume()
	f.Data(A2B, 0, 0, 10).Late(7 * ms)
	f.Data(A2B, 1*ms, 10, 10).Twice(3 * ms)
	f.Data(A2B, 2*ms, 20, 10).LoseEarly()
	f.Data(A2B, 3*ms, 30, 10).Lose()
	f.Data(A2B, 20*ms, 40, 10).Edit(func(p *Packet) { p.Window = 99 })
	for _, tt := range []struct {
		s    *Session
		view View
		want []time.Duration
	}{
		{opened, HostA, []time.Duration{5 * ms, 45 * ms, 45 * ms}},
		{opened, HostB, []time.Duration{15 * ms, 15 * ms, 55 * ms}},
		{opened, Middle, []time.Duration{10 * ms, 30 * ms, 50 * ms}},
		{fates, HostA, []time.Duration{0, 1 * ms, 2 * ms, 3 * ms, 20 * ms}},
		{fates, Middle, []time.Duration{6 * ms, 8 * ms, 8500 * time.Microsecond, 9 * ms, 25 * ms}},
		{fates, HostB, []time.Duration{11 * ms, 14 * ms, 17 * ms, 30 * ms}},
	} {
		assert.Check(t, is.DeepEqual(at(tt.s.Packets(tt.view)), tt.want), "view %d", tt.view)
	}
	assert.Check(t, is.Equal(h.Established(), 55*ms), "established at")
	last := fates.Packets(HostB)[3]
	assert.Check(t, last.Window == 99 && signal(&last, mptcp.SubDSS) == nil, "the edited packet of a plain connection: %+v", last)
}

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
		assert.Assert(t, int(skip)+len(p.Payload) <= int(d.Length), "segment %d+%d is not within its mapping of %d", skip, len(p.Payload), d.Length)
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
		assert.Assert(t, int64(len(got)) == length, "seed %d: %d bytes arrived, want %d", seed, len(got), length)
		for at, b := range got {
			assert.Assert(t, b == streamByte(A2B, int64(at)), "seed %d: byte %d is wrong", seed, at)
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
			assert.Assert(t, ack >= previous, "seed %d: DATA_ACK goes back from %d to %d", seed, previous, ack)
			previous = ack
		}
		assert.Check(t, is.Equal(previous, s.DSN(A2B, length)), "seed %d: last DATA_ACK", seed)
	}
}
