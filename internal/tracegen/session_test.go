package tracegen

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

const ms = time.Millisecond

// option returns the first TCP option of a packet that is as asked for, whole.
func option(p *Packet, is func(o []byte) bool) []byte {
	for b := p.Options; len(b) > 0; {
		switch {
		case b[0] == kindNOP:
			b = b[1:]
		case is(b):
			return b[:b[1]]
		default:
			b = b[b[1]:]
		}
	}
	return nil
}

// signal returns the first MPTCP option of a subtype.
func signal(p *Packet, sub mptcp.Subtype) []byte {
	return option(p, func(o []byte) bool { return o[0] == mptcp.Kind && mptcp.Subtype(o[2]>>4) == sub })
}

func dss(t *testing.T, p *Packet) mptcp.DSS {
	t.Helper()
	var d mptcp.DSS
	if err := mptcp.ParseDSS(signal(p, mptcp.SubDSS), &d); err != nil {
		t.Fatalf("packet at %d: %v", p.Time, err)
	}
	return d
}

// sacks returns the blocks of a packet's SACK option.
func sacks(p *Packet) (out []block) {
	for b := option(p, func(o []byte) bool { return o[0] == kindSACK }); len(b) >= 10; b = b[8:] {
		out = append(out, block{seq.Wire(binary.BigEndian.Uint32(b[2:])), seq.Wire(binary.BigEndian.Uint32(b[6:]))})
	}
	return out
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
		if diff := cmp.Diff(tt.want, at(tt.s.Packets(tt.view))); diff != "" {
			t.Errorf("view %d (-want +got):\n%s", tt.view, diff)
		}
	}
	if got := h.Established(); got != 55*ms {
		t.Errorf("established at %v, want 55ms", got)
	}
	if last := fates.Packets(HostB)[3]; last.Window != 99 || signal(&last, mptcp.SubDSS) != nil {
		t.Errorf("the edited packet of a plain connection: %+v", last)
	}
}

func TestLossAndRepair(t *testing.T) {
	s := NewSession(Config{Version: 1, AckEvery: 2, DataAck4: true})
	f := s.Subflow(onePath(0))
	f.Assume()
	var lost *Sent
	for i := range 5 {
		x := f.Data(A2B, time.Duration(i)*ms, int64(i*100), 100)
		if i == 1 {
			lost = x.Lose()
		}
	}
	lost.Again(40 * ms)
	lost.Again(60 * ms) // spurious
	var acks []Packet
	for _, p := range s.Packets(HostA) {
		if p.Src == v4b {
			acks = append(acks, p)
		}
	}
	type ack struct {
		Ack  seq.Wire
		SACK []block
	}
	var got []ack
	for i := range acks {
		got = append(got, ack{acks[i].Ack, sacks(&acks[i])})
	}
	// Bytes are numbered from 1: segment i is [1+100i, 101+100i). The first
	// ACK follows segment 2, which is out of order; 0 was waiting for it.
	want := []ack{
		{101, []block{{201, 301}}},
		{101, []block{{201, 401}}},
		{101, []block{{201, 501}}},
		{501, nil},
		{501, []block{{101, 201}}}, // DSACK
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ACKs (-want +got):\n%s", diff)
	}
	if n := len(s.Packets(HostB)) - len(acks); n != 6 {
		t.Errorf("host B received %d segments, want 7 sent less 1 lost", n)
	}
	if n := len(s.Packets(Middle)) - len(acks); n != 7 {
		t.Errorf("the middle saw %d segments, want 7", n)
	}
}
