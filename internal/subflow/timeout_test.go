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
		play func(p *play)
		want [nCauses]int64
	}{
		{"the ACK covers what was sent once", false, func(p *play) {
			p.acks(290, 2001)
			p.data(291, 5001, 6000)
			p.acks(331, 2001, blocks(5001, 9001))
			p.data(332, 2001, 1000)
		}, [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"one ACK later", false, func(p *play) {
			p.acks(290, 1001)
			p.acks(300, 3001)
			p.data(301, 5001, 6000)
			p.acks(341, 3001, blocks(5001, 9001))
			p.data(342, 3001, 1000)
		}, [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"what was sent once is SACKed", false, func(p *play) {
			p.acks(290, 1001, blocks(3001, 4001))
			p.data(291, 5001, 6000)
			p.acks(331, 1001, blocks(3001, 9001))
			p.data(332, 1001, 1000)
		}, [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"the ACK echoes the original", true, func(p *play) {
			p.acks(290, 1001, ts(9, 100))
			p.data(291, 5001, 6000, ts(391, 9))
			p.acks(331, 1001, ts(9, 100), blocks(5001, 9001))
			p.data(332, 1001, 1000, ts(432, 9))
		}, [nCauses]int64{FastRetransmit: 1, Timeout: 1}},
		{"the ACK echoes the copy", true, func(p *play) {
			p.acks(290, 1001, ts(9, 350))
			p.data(291, 5001, 6000, ts(391, 9))
			p.acks(331, 1001, ts(9, 350), blocks(5001, 9001))
			p.data(332, 1001, 1000, ts(432, 9))
		}, [nCauses]int64{Timeout: 2}},
		{"only what was sent after it is SACKed", false, func(p *play) {
			p.acks(290, 1001)
			p.data(291, 5001, 6000)
			p.acks(331, 1001, blocks(5001, 9001))
			p.data(332, 1001, 1000)
		}, [nCauses]int64{Timeout: 2}},
		{"another was sent again first", false, func(p *play) {
			p.acks(290, 1001)
			p.data(291, 1001, 1000)
			p.acks(331, 3001)
			p.data(332, 5001, 6000)
			p.acks(372, 3001, blocks(5001, 9001))
			p.data(373, 3001, 1000)
		}, [nCauses]int64{Timeout: 3}},
		{"the timeout comes twice", false, func(p *play) {
			p.data(500, 1, 1000)
			p.acks(540, 2001)
			p.data(541, 5001, 6000)
			p.acks(581, 2001, blocks(5001, 9001))
			p.data(582, 2001, 1000)
		}, [nCauses]int64{FastRetransmit: 1, Timeout: 2}},
		{"the timeout comes twice, and another was sent again between", false, func(p *play) {
			p.data(271, 1001, 1000)
			p.data(600, 1, 1000)
			p.acks(640, 3001)
			p.data(641, 5001, 6000)
			p.acks(681, 3001, blocks(5001, 9001))
			p.data(682, 3001, 1000)
		}, [nCauses]int64{Timeout: 4}},
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
			tt.play(p)
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
	p.segments(5)
	p.data(250, 1, 1000)
	p.acks(290, 3001)
	p.data(291, 3001, 1000)
	want(t, "fast, timeout, tail probe", p.a().Loss.ByCause, [nCauses]int64{Timeout: 2})
}
