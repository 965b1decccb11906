package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// The two parts of the round trip of the handshake, in ms.
func TestHandshake(t *testing.T) {
	scripts(t, [][2]string{
		{"at the initiator", "0 A syn 0 0 0; 40 B synAck 0 1 0; 40.25 A ack 1 1 0; halves 40 0.25"},
		{"at the responder", "0 A syn 0 0 0; 0.25 B synAck 0 1 0; 40.25 A ack 1 1 0; halves 0.25 40"},
		{"in the middle", "0 A syn 0 0 0; 10 B synAck 0 1 0; 40 A ack 1 1 0; halves 10 30"},
		{"SYN repeated: the answer to the last", "0 A syn 0 0 0; 1000 A syn 0 0 0; 1010 B synAck 0 1 0; 1040 A ack 1 1 0; halves 10 30"},
		{"SYN repeated after the answer, which is repeated", "0 A syn 0 0 0; 10 B synAck 0 1 0; 1000 A syn 0 0 0; 1010 B synAck 0 1 0; 1040 A ack 1 1 0; halves 10 30"},
		{"SYN/ACK repeated: the first answer, the last that was answered", "0 A syn 0 0 0; 10 B synAck 0 1 0; 1010 B synAck 0 1 0; 1040 A ack 1 1 0; halves 10 30"},
		{"SYN/ACK repeated after the third packet", "0 A syn 0 0 0; 10 B synAck 0 1 0; 40 A ack 1 1 0; 1010 B synAck 0 1 0; 1040 A ack 1 1 0; halves 10 30"},
		{"SYN duplicated after the third packet", "0 A syn 0 0 0; 10 B synAck 0 1 0; 40 A ack 1 1 0; 41 A syn 0 0 0; halves 10 30"},
		{"a RST answers the SYN/ACK", "0 A syn 0 0 0; 10 B synAck 0 1 0; 40 A rst 1 0 0; halves 10 30"},
		{"B sends before the third packet, which was not captured", "0 A syn 0 0 0; 10 B synAck 0 1 0; 11 B ack 1 1 0; 40 A ack 1 1 0; halves none"},
		{"B gives up before the third packet", "0 A syn 0 0 0; 10 B synAck 0 1 0; 11 B rst 1 0 0; 40 A ack 1 1 0; halves 10 30"},
		{"no answer", "0 A syn 0 0 0; 1000 A syn 0 0 0; halves none"},
		{"no third packet", "0 A syn 0 0 0; 10 B synAck 0 1 0; halves none"},
		{"the last SYN has no answer", "0 A syn 0 0 0; 10 B synAck 0 1 0; 1000 A syn 0 0 0; 1030 A ack 1 1 0; halves none"},
		{"the SYN was not captured", "10 B synAck 0 1 0; 40 A ack 1 1 0; halves none"},
		// The SYN's acknowledgment may be captured before the SYN. The SYN then waits for no acknowledgment.
		{"the SYN, captured after its ACK, gives no sample", "10 B synAck 0 1 0; 10.1 A syn 0 0 0; 10.2 A ack 1 1 500; 60.2 ack 501; sample cumulative 50 50; samples 1"},
	})
}

func TestHandshakeOffers(t *testing.T) {
	p := newPlay(t)
	p.give(0, A, syn, 0, 0, 0, offers(1460), ts(1, 0))
	p.give(10, B, synAck, 0, 1, 0)
	a, b := &p.Senders[A], &p.Senders[B]

	want(t, "MSS towards B: B's SYN has none", a.MSS(), 0)
	want(t, "MSS towards A", b.MSS(), 1460)
	shift, ok := a.WScale()
	want(t, "shift of A's windows", shift, 7)
	want(t, "A scales", ok, true)
	_, ok = b.WScale()
	want(t, "B scales", ok, false)
	want(t, "A offers SACK", a.SACKPermitted(), true)
	want(t, "B offers SACK", b.SACKPermitted(), false)
	want(t, "A offers timestamps", a.Timestamps(), true)
	want(t, "B offers timestamps", b.Timestamps(), false)
	isn, fromSYN := a.ISN()
	want(t, "ISN of A", isn, 1000)
	want(t, "ISN from a SYN", fromSYN, true)
	want(t, "SYNs", a.SYNs, 1)
}

// The sequence number of a SYN may differ until it is acknowledged; then it must not
// change.
func TestSYNWithAnotherNumber(t *testing.T) {
	t.Run("before any acknowledgment the last one counts", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		p.give(10, B, synAck, 0, 1, 0) // lost; B forgot it and drew another number
		p.isn[B] += 5_000_000
		p.give(1010, B, synAck, 0, 1, 0)
		p.give(1020, A, ack, 1, 1, 0)
		p.give(1030, B, ack, 1, 1, 100)
		isn, _ := p.Senders[B].ISN()
		want(t, "ISN", isn, p.isn[B])
		want(t, "position of the data", p.last.Sent.Range, span(1, 101))
		want(t, "strays", p.Senders[B].Strays, 0)
	})
	t.Run("after it the packet is another connection's", func(t *testing.T) {
		p := opened(t)
		p.isn[B] += 5_000_000
		p.give(1000, B, synAck, 0, 1, 0)
		want(t, "stray", p.last.Sent.Stray, true)
		isn, _ := p.Senders[B].ISN()
		want(t, "ISN", isn, p.isn[B]-5_000_000)
		want(t, "SYNs", p.Senders[B].SYNs, 1)
	})
	t.Run("leftover data of an old connection is forgotten", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, B, ack, 9000, 1, 500)
		p.give(1, B, ack, 9700, 1, 100) // with a hole below it
		p.give(5, B, synAck, 0, 1, 0, offers(1000))
		b := &p.Senders[B]
		want(t, "end: the SYN alone", b.SndNxt(), 1)
		want(t, "in flight", b.InFlight(), 1)
		want(t, "holes", b.holes.list.Len(), 0)
		p.run("45 A ack 1 1 0; sample cumulative 40 40")
	})
	t.Run("the ACK of a leftover packet told a wrong number", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, ack, 77, 4242, 0)
		p.give(5, B, synAck, 0, 1, 0, offers(1000))
		p.give(6, B, ack, 1, 1, 10)
		want(t, "position of the data", p.last.Sent.Range, span(1, 11))
		want(t, "una <= nxt", p.Senders[B].SndUna() <= p.Senders[B].SndNxt(), true)
	})
}

// TestThirdUncaptured: B answers the third packet, which is not in the capture, at 50 ms. A is idle
// up to 3 s, and its next packet acknowledges the SYN/ACK. That time is no round trip.
func TestThirdUncaptured(t *testing.T) {
	for _, third := range []bool{true, false} {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0, ts(1, 0))
		p.give(10, B, synAck, 0, 1, 0, ts(1000, 1))
		if third {
			p.give(49, A, ack, 1, 1, 0, ts(50, 1000))
		}
		p.give(50, B, ack, 1, 1, 0, ts(1040, 50))
		p.give(3000, A, ack, 1, 1, 100, ts(3000, 1040))
		rtt := 0.
		if third {
			rtt = 39e6
		}
		want(t, "smoothed round trip of B, ns", p.Senders[B].RTT.SRTT, rtt)
	}
}

// TestWindowShift: the SYN offers a shift of 7, the SYN/ACK one of 9. What the capture lacks is no
// refusal.
func TestWindowShift(t *testing.T) {
	const missing, cut, without, with = 0, 1, 2, 3
	const unknown = -1
	for _, tt := range []struct {
		syn, synack int
		want        [2]int // shifts of A and B
	}{
		{with, with, [2]int{7, 9}},
		{missing, with, [2]int{unknown, 9}},
		{cut, with, [2]int{unknown, 9}},
		{with, missing, [2]int{unknown, unknown}},
		{with, cut, [2]int{unknown, unknown}},
		{missing, missing, [2]int{unknown, unknown}},
		{cut, cut, [2]int{unknown, unknown}},
		{with, without, [2]int{0, 0}},
		{without, with, [2]int{0, 0}}, // against RFC 7323, Section 2.2
		{without, missing, [2]int{0, 0}},
		{missing, without, [2]int{0, 0}},
	} {
		p := newPlay(t)
		for side, how := range [2]int{tt.syn, tt.synack} {
			flags, shift, upTo := syn, uint8(7), seq.SSN(0)
			if side == 1 {
				flags, shift, upTo = synAck, 9, 1
			}
			have := [...]packet.Present{cut: packet.OptionsCut, without: 0, with: packet.HasWScale}[how]
			if how != missing {
				p.give(float64(side), Side(side), flags, 0, upTo, 0, func(_ *play, _ Side, s *packet.Segment) { s.Have, s.WScale = s.Have|have, shift })
			}
		}
		p.give(2, A, ack, 1, 1, 0)
		for side, shift := range tt.want {
			got, ok := p.WindowShift(Side(side))
			want(t, "the shift is known", ok, shift != unknown)
			want(t, "shift", int(got), max(0, shift))
		}
	}
}

// TestRefusesSACK: only a SYN that was captured with all its options refuses what it lacks.
func TestRefusesSACK(t *testing.T) {
	for have, refuses := range map[packet.Present]bool{0: true, packet.OptionsCut: false, packet.HasSACKPermitted: false} {
		p := newPlay(t)
		want(t, "without a SYN", p.Senders[A].RefusesSACK(), false)
		p.give(0, A, syn, 0, 0, 0, func(_ *play, _ Side, s *packet.Segment) { s.Have |= have })
		want(t, "with a SYN", p.Senders[A].RefusesSACK(), refuses)
		want(t, "B uses SACK", p.Senders[B].usesSACK(), !refuses)
	}
}
