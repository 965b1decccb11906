package conn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

func TestVantage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		view  tracegen.View
		link  tracegen.LinkType
		delay [2]time.Duration
		fromB bool
		want  Vantage
		why   string
	}{
		{"handshake at A", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, AtA, "handshakes"},
		{"handshake at B", tracegen.HostB, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, AtB, "handshakes"},
		{"handshake in the middle", tracegen.Middle, tracegen.LinkRaw, [2]time.Duration{10 * ms, 10 * ms}, false, Middle, "handshakes"},
		{"a fast path", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{ms / 4, ms / 4}, false, Unknown, "1 ms"},
		{"a path of 1 ms", tracegen.HostA, tracegen.LinkRaw, [2]time.Duration{ms / 2, ms / 2}, false, AtA, "handshakes"},
		{"cooked at A", tracegen.HostA, tracegen.LinkSLL, [2]time.Duration{ms / 4, ms / 4}, false, AtA, "sent by the capturing host"},
		{"cooked at B", tracegen.HostB, tracegen.LinkSLL2, [2]time.Duration{ms / 4, ms / 4}, false, AtB, "sent by the capturing host"},
		{"cooked in the middle", tracegen.Middle, tracegen.LinkSLL, [2]time.Duration{ms / 4, ms / 4}, false, Middle, "received"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tracegen.NewSession(tracegen.Config{Version: 1})
			p := path(0)
			p.Delay = tt.delay
			h := s.Subflow(p)
			first := h.Open(0)
			p = path(1)
			p.Delay, p.FromB = tt.delay, true // a join from B has the same result
			g := s.Subflow(p)
			g.Open(first.Established())
			for given, want := range map[Vantage]Vantage{Unknown: tt.want, Middle: Middle} {
				r := &recorder{}
				table := NewTable(Options{Vantage: given}, r)
				for _, seg := range segments(t, s.Packets(tt.view), tt.link) {
					table.Segment(&seg)
				}
				if v, why := r.only(t).c.Vantage(); v != want || !strings.Contains(why, tt.why) && why != "given" || (why == "given") != (given != Unknown) {
					t.Errorf("given %v: %v (%s), want %v (%s)", given, v, why, want, tt.why)
				}
			}
		})
	}
}

// TestVantageOfMarks: marks of a cooked header tell more than handshakes: an end whose packets alone are
// sent by the capturing host, or that both ends' packets are received.
func TestVantageOfMarks(t *testing.T) {
	for _, c := range []struct {
		outgoing, incoming [2]bool
		want               Vantage // else that of the handshakes, B
	}{
		{[2]bool{A: true}, [2]bool{}, AtA},
		{[2]bool{A: true}, [2]bool{B: true}, AtA},
		{[2]bool{A: true}, [2]bool{true, true}, AtA},
		{[2]bool{B: true}, [2]bool{A: true}, AtB},
		{[2]bool{}, [2]bool{true, true}, Middle},
		{[2]bool{}, [2]bool{A: true}, AtB},
		{[2]bool{}, [2]bool{B: true}, AtB},
		{[2]bool{true, true}, [2]bool{true, true}, AtB},
	} {
		v := vantage{outgoing: c.outgoing, incoming: c.incoming, shares: []float64{0.1}}
		if got, why := v.conclude(); got != c.want {
			t.Errorf("sent %v, received %v: %v (%s), want %v", c.outgoing, c.incoming, got, why, c.want)
		}
		if v.shares = []float64{0.9}; c.want == AtB && !c.outgoing[A] && !c.outgoing[B] {
			if got, _ := v.conclude(); got != AtA {
				t.Errorf("sent %v, received %v: %v although the handshakes tell A", c.outgoing, c.incoming, got)
			}
		}
	}
}

// TestVantageOfShares: the median of the handshakes tells a host beyond three quarters: one unusual
// join does not change the result of two others.
func TestVantageOfShares(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   Vantage
	}{
		{nil, Unknown},
		{[]float64{0.76}, AtA},
		{[]float64{0.75}, Middle},
		{[]float64{0.25}, Middle},
		{[]float64{0.24}, AtB},
		{[]float64{0.1, 0.98, 0.99}, AtA},
		{[]float64{0.1, 0.2, 0.9}, AtB},
		{[]float64{0, 0.1, 0.6, 1}, Middle},  // (0.1 + 0.6) / 2
		{[]float64{0, 0.1, 0.2, 1}, AtB},     // (0.1 + 0.2) / 2
		{[]float64{0, 0.74, 0.78, 0.8}, AtA}, // (0.74 + 0.78) / 2
	} {
		if got, _ := (&vantage{shares: c.shares}).conclude(); got != c.want {
			t.Errorf("%v: %v, want %v", c.shares, got, c.want)
		}
	}
}

// TestShareOfHandshake: the share of a handshake is the part of its time before the SYN/ACK, for a join
// of B the other one. A handshake of less than 1 ms tells nothing.
func TestShareOfHandshake(t *testing.T) {
	for _, c := range []struct {
		syn, ack time.Duration // the halves
		opener   Side
		want     []float64
	}{
		{4 * ms, 6 * ms, A, []float64{0.4}},
		{4 * ms, 6 * ms, B, []float64{0.6}},
		{ms / 4, ms * 3 / 4, A, []float64{0.25}},
		{ms / 4, ms*3/4 - 1, A, nil},
	} {
		var v vantage
		f := subflow.Flow{Initiator: c.opener}
		var p subflow.Packet
		at := int64(time.Hour)
		for i, flags := range []packet.Flags{packet.SYN, packet.SYN | packet.ACK, packet.ACK} {
			d := f.Dir(c.opener ^ Side(i%2))
			d.Packet(&packet.Segment{Num: uint64(i + 1), Time: at, Flags: flags, Seq: seq.Wire((i + 1) / 2), Ack: 1}, false, &p)
			at += int64([]time.Duration{c.syn, c.ack, 0}[i])
		}
		if v.sawHandshake(&f); !slices.Equal(v.shares, c.want) {
			t.Errorf("%v and %v, opened by %v: %v, want %v", c.syn, c.ack, c.opener, v.shares, c.want)
		}
	}
}
