package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// effectOf returns the effect of one more packet.
func (p *play) effectOf(from Side, flags packet.Flags, start, upTo seq.SSN, n uint32) Effect {
	s := packet.Segment{
		Flags: flags, PayloadLen: n, Seq: p.isn[from] + seq.Wire(start), Ack: p.isn[from.Other()] + seq.Wire(upTo),
	}
	return p.Effect(&s, from)
}

const (
	opening     = "0 A syn 0 0 0"
	established = opening + "; 1 B synAck 0 1 0; 2 A ack 1 1 0"
	delivered   = established + "; 3 data 1+1000; 4 ack 1001"
	inFlight    = delivered + "; 5 data 1001+1000"
	lost        = delivered + "; 5 data 2001+1000"
	cut         = "0 A syn 0 0 0 cut; 1 B synAck 0 1 0 cut; 2 data 1+1000; 3 ack 1001"
	ended       = delivered + "; 6 B rst 1 0 0"
	finished    = delivered + "; 5 fin 1001+0; 6 ack 1002"
)

// TestEffect: RFC 9293, Section 3.10.7, and RFC 5961, Section 3.2, define what a receiver
// ignores.
func TestEffect(t *testing.T) {
	for _, tt := range []struct {
		name        string
		play        string
		from        Side
		flags       packet.Flags
		start, upTo seq.SSN
		n           uint32
		want        Effect
	}{
		{"RST that acknowledges the SYN", opening, B, rst | ack, 0, 1, 0, Accepted},
		{"RST that acknowledges nothing", opening, B, rst, 0, 0, 0, Ignored},
		{"RST that acknowledges too little", opening, B, rst | ack, 0, 0, 0, Ignored},
		{"RST that acknowledges too much", opening, B, rst | ack, 0, 2, 0, Ignored},
		{"RST of the initiator", opening, A, rst, 1, 0, 0, Accepted},
		{"RST at RCV.NXT", delivered, A, rst, 1001, 0, 0, Accepted},
		{"RST before it", delivered, A, rst, 1000, 0, 0, Ignored},
		{"RST behind it, within the window", delivered, A, rst, 1002, 0, 0, Ignored},
		{"RST far away", delivered, A, rst, 1 << 31, 0, 0, Ignored},
		{"RST behind data in flight", inFlight, A, rst, 2001, 0, 0, Accepted},
		{"RST before data in flight", inFlight, A, rst, 1001, 0, 0, EffectUnknown},
		{"RST behind a hole", lost, A, rst, 3001, 0, 0, EffectUnknown},
		{"RST behind a FIN", finished, A, rst, 1002, 0, 0, Accepted},
		{"RST at a FIN", finished, A, rst, 1001, 0, 0, EffectUnknown},
		{"RST after the end", ended, A, rst, 1001, 0, 0, EffectUnknown},
		{"ACK in order", delivered, A, ack, 1001, 1, 0, Accepted},
		{"ACK of an old number", delivered, A, ack, 1000, 1, 0, Ignored},
		{"data that was delivered, up to the end", delivered, A, ack, 1, 1, 1000, Accepted},
		{"ACK at the end of the window", delivered, A, ack, 1501, 1, 0, Accepted},
		{"ACK behind the window", delivered, A, ack, 1502, 1, 0, Ignored},
		{"ACK behind a window of unknown scale", cut, A, ack, 1502, 1, 0, Accepted},
		{"ACK that takes back the SYN's", delivered, A, ack, 1001, 0, 0, Ignored},
		{"ACK of what was not captured", delivered, A, ack, 1001, 5, 0, EffectUnknown},
	} {
		p := newPlay(t)
		p.run(tt.play)
		want(t, tt.name, p.effectOf(tt.from, tt.flags, tt.start, tt.upTo, tt.n), tt.want)
	}
}

// TestPrecedes: what cannot follow a SYN belongs to an earlier connection.
func TestPrecedes(t *testing.T) {
	for _, c := range []struct {
		what  string
		play  string
		from  Side
		flags packet.Flags
		at    seq.SSN // sequence number of the initiator, acknowledgment of the responder
		want  bool
	}{
		{"the SYN's own number", opening, A, ack, 0, false},
		{"a number before the SYN", opening, A, ack, -1, true},
		{"a number far away", opening, A, ack, 1 << 31, true},
		{"an answer that acknowledges the SYN", opening, B, ack, 1, false},
		{"an answer that acknowledges less", opening, B, ack, 0, true},
		{"an answer that acknowledges nothing", opening, B, rst, 1, true},
		{"no SYN", "0 A ack 1 1 10", A, ack, -1, false},
	} {
		p := newPlay(t)
		p.run(c.play)
		s := packet.Segment{Flags: c.flags, Seq: p.isn[A] + seq.Wire(c.at), Ack: p.isn[A] + seq.Wire(c.at)}
		want(t, c.what, p.Precedes(&s, c.from), c.want)
	}
}

// TestIgnoredReset: the connection continues after it.
func TestIgnoredReset(t *testing.T) {
	p := newPlay(t)
	p.run(delivered)
	p.give(5, A, rst, 1500, 0, 0)
	want(t, "state", p.State, Open)
	want(t, "effect", p.last.Sent.Effect, Ignored)
	want(t, "resets", p.Senders[A].Resets, int64(1))
	p.give(6, A, rst, 1001, 0, 0)
	want(t, "state", p.State, Reset)
	want(t, "effect", p.last.Sent.Effect, Accepted)
}
