package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// A single segment is sent again when the timeout of 240 ms expires. That is a probe,
// unless the handshake shows that one end has no SACK (RFC 8985, Section 7.2).
func TestNoProbesWithoutSACK(t *testing.T) {
	with := packet.HasMSS | packet.HasSACKPermitted
	tests := []struct {
		name        string
		syn, synAck packet.Present
		want        Cause
	}{
		{"both ends", with, with, TailLossProbe},
		{"the receiver has none", with, packet.HasMSS, Timeout},
		{"the sender has none", packet.HasMSS, with, Timeout},
	}
	offer := func(have packet.Present) option {
		return func(_ *play, _ Side, s *packet.Segment) { s.MSS, s.Have = 1000, have }
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t)
			p.give(-40, A, syn, 0, 0, 0, offer(tt.syn))
			p.give(0, B, synAck, 0, 1, 0, offer(tt.synAck))
			p.give(0, A, ack, 1, 1, 0)
			p.data(0, 1, 1000)
			p.data(241, 1, 1000)
			want(t, "copies by cause "+tt.name, p.a().Loss.ByCause[tt.want], 1)
		})
	}
	t.Run("no handshake", func(t *testing.T) {
		p := newPlay(t)
		p.data(0, 1, 1000)
		p.acks(40, 1001)
		p.data(40, 1001, 1000)
		p.data(281, 1001, 1000)
		want(t, "probes", p.a().Loss.ByCause[TailLossProbe], 1)
	})
}

// Four segments are sent at 0 ms, one at 20 ms, and the first again at 250 ms, after the
// timeout of 240 ms. After the ACK of that, six more are sent. Later ones are SACKed, then
// one of all is sent again: in the timeout's recovery, unless the timeout has proved
// spurious by then.
func TestNeedlessTimeout(t *testing.T) {
	tests := []struct {
		name string
		ts   bool
		play string
		want [nCauses]int64
	}{
		{"the ACK covers what was sent once", false, "290 ack 2001; 291 data 5001+6000; 331 ack 2001 sack 5001-9001; 332 data 2001+1000", [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"one ACK later", false, "290 ack 1001; 300 ack 3001; 301 data 5001+6000; 341 ack 3001 sack 5001-9001; 342 data 3001+1000", [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"what was sent once is SACKed", false, "290 ack 1001 sack 3001-4001; 291 data 5001+6000; 331 ack 1001 sack 3001-9001; 332 data 1001+1000", [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"the ACK echoes the original", true, "290 ack 1001 ts 9,100; 291 data 5001+6000 ts 391,9; 331 ack 1001 ts 9,100 sack 5001-9001; 332 data 1001+1000 ts 432,9", [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"the ACK echoes the copy", true, "290 ack 1001 ts 9,350; 291 data 5001+6000 ts 391,9; 331 ack 1001 ts 9,350 sack 5001-9001; 332 data 1001+1000 ts 432,9", [nCauses]int64{Timeout: 2}},
		{"only what was sent after it is SACKed", false, "290 ack 1001; 291 data 5001+6000; 331 ack 1001 sack 5001-9001; 332 data 1001+1000", [nCauses]int64{Timeout: 2}},
		{"another was sent again first", false, "290 ack 1001; 291 data 1001+1000; 331 ack 3001; 332 data 5001+6000; 372 ack 3001 sack 5001-9001; 373 data 3001+1000", [nCauses]int64{Timeout: 3}},
		{"the timeout comes twice", false, "500 data 1+1000; 540 ack 2001; 541 data 5001+6000; 581 ack 2001 sack 5001-9001; 582 data 2001+1000", [nCauses]int64{FastRetransmit: 1, Timeout: 2}},
		{"the timeout comes twice, and another was sent again between", false, "271 data 1001+1000; 600 data 1+1000; 640 ack 3001; 641 data 5001+6000; 681 ack 3001 sack 5001-9001; 682 data 3001+1000", [nCauses]int64{Timeout: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stamped []option
			first, again := []option{}, []option{}
			if tt.ts {
				stamped, first, again = []option{ts(1, 1)}, []option{ts(100, 1)}, []option{ts(350, 1)}
			}
			p := opened(t, stamped...)
			for i := range seq.SSN(4) {
				p.data(0, 1+1000*i, 1000, first...)
			}
			p.data(20, 4001, 1000, first...)
			p.data(250+20, 1, 1000, again...)
			p.run(tt.play)
			want(t, "fast, timeout, tail probe", p.a().Loss.ByCause, tt.want)
		})
	}
}

// Without SACK the ACK of the first segment's copy may cover others that had arrived before
// the timeout, so it proves nothing.
func TestTimeoutWithoutSACK(t *testing.T) {
	p := newPlay(t)
	offer := func(_ *play, _ Side, s *packet.Segment) { s.MSS, s.Have = 1000, packet.HasMSS }
	p.give(-40, A, syn, 0, 0, 0, offer)
	p.give(0, B, synAck, 0, 1, 0, offer)
	p.give(0, A, ack, 1, 1, 0)
	p.run("0 segments 5; 250 data 1+1000; 290 ack 3001; 291 data 3001+1000")
	want(t, "fast, timeout, tail probe", p.a().Loss.ByCause, [nCauses]int64{Timeout: 2})
}
