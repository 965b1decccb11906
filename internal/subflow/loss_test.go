package subflow

import (
	"testing"

	"mpanalyze/internal/seq"
)

// The round trip of the handshake is 40 ms: SRTT = 40, RTTVAR = 20, and the
// timeout is 40 + max(200, 80) = 240 ms. Round trips of 40 ms leave it there.
func TestCauses(t *testing.T) {
	causes := func(fast, timeout, probe int64) [nCauses]int64 { return [nCauses]int64{fast, timeout, probe} }
	tests := []struct {
		name string
		play func(p *play)
		want [nCauses]int64
	}{
		{"later data was SACKed", func(p *play) {
			p.segments(3)
			p.acks(42, 1, blocks(2001, 3001))
			p.data(43, 1, 1000)
		}, causes(1, 0, 0)},
		{"three duplicate ACKs, late", func(p *play) {
			p.acks(0, 1) // the first window that is not of a SYN: later ACKs can repeat it
			p.segments(5)
			for range 3 {
				p.acks(42, 1)
			}
			p.data(250, 1, 1000)
		}, causes(1, 0, 0)},
		{"two duplicate ACKs and a silence of 246 ms", func(p *play) {
			p.acks(0, 1)
			p.segments(5)
			p.acks(42, 1)
			p.acks(43, 1)
			p.data(250, 1, 1000)
		}, causes(0, 1, 0)},
		{"progress in between: the duplicates count anew", func(p *play) {
			p.acks(0, 1)
			p.segments(5)
			p.acks(42, 1)
			p.acks(43, 1)
			p.acks(44, 1001)
			p.acks(45, 1001)
			p.data(300, 1001, 1000)
		}, causes(0, 1, 0)},
		{"for reasons unseen, long before the timeout", func(p *play) {
			p.segments(5)
			p.data(100, 1, 1000)
		}, [nCauses]int64{UnknownCause: 1}},
		{"all that is in flight, after the timeout", func(p *play) {
			p.segments(3)
			p.data(250, 1, 1000)
			p.acks(290, 1001)
			p.data(290, 1001, 1000)
			p.data(290, 2001, 1000)
		}, causes(0, 3, 0)},
		{"the timeout's recovery is over: duplicate ACKs mean loss again", func(p *play) {
			p.segments(2)
			p.data(250, 1, 1000)
			p.acks(290, 2001)
			p.data(291, 2001, 2000)
			p.acks(331, 2001, blocks(3001, 4001))
			p.data(332, 2001, 1000)
		}, causes(1, 1, 0)},
		{"the last segment before the timeout", func(p *play) {
			p.segments(3)
			p.acks(41, 2001)
			p.data(101, 2001, 1000)
		}, causes(0, 0, 1)},
		{"the last segment, when the timeout is due", func(p *play) {
			p.segments(3)
			p.acks(41, 2001)
			p.data(41+241, 2001, 1000) // a sample of 41 ms: the timeout is 240.125 ms
		}, causes(0, 0, 1)},
		{"the last segment, and after another silence once more", func(p *play) {
			p.segments(1)
			p.data(241, 1, 1000)
			p.data(241+241, 1, 1000)
		}, causes(0, 1, 1)},
		{"the last of two, and after another silence once more", func(p *play) {
			p.segments(2)
			p.data(100, 1001, 1000)
			p.data(100+241, 1001, 1000)
		}, causes(0, 1, 1)},
		{"the last segment with its FIN", func(p *play) {
			p.segments(2)
			p.give(2, A, fin, 2001, 1, 1000)
			p.acks(41, 2001)
			p.give(101, A, fin, 2001, 1, 1000)
		}, causes(0, 0, 1)},
		{"a fast copy, lost as well, and then the timeout", func(p *play) {
			p.segments(3)
			p.acks(42, 1, blocks(2001, 3001))
			p.data(43, 1, 1000)
			p.data(43+240, 1, 1000)
		}, causes(1, 1, 0)},
		{"a fast copy, lost as well, and found out in time", func(p *play) {
			p.segments(3)
			p.acks(42, 1, blocks(2001, 3001))
			p.data(43, 1, 1000)
			p.data(230, 1, 1000) // 187 ms after the copy: less than 0.8 * 240
		}, causes(2, 0, 0)},
		{"a super-segment counts its segments", func(p *play) {
			p.data(0, 1, 4500)
			p.data(250, 1, 4500)
		}, causes(0, 5, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			tt.play(p)
			want(t, "fast, timeout, tail probe", p.a().Loss.ByCause, tt.want)
			want(t, "all of them", p.a().RexmitSegments, tt.want[FastRetransmit]+tt.want[Timeout]+tt.want[TailLossProbe]+tt.want[UnknownCause])
		})
	}
}

func TestSpurious(t *testing.T) {
	tests := []struct {
		name  string
		play  func(p *play)
		want  int64
		drops int64
	}{
		{"reported by DSACK", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(291, 1001, blocks(1, 1001))
		}, 1, 0},
		{"not reported", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(291, 1001)
		}, 0, 1},
		{"Eifel: the ACK echoes the original. The copy may still have been lost", func(p *play) {
			p.data(0, 1, 1000, ts(100, 1))
			p.data(250, 1, 1000, ts(350, 1))
			p.acks(291, 1001, ts(9, 100))
		}, 1, 1},
		{"Eifel: the ACK echoes the copy", func(p *play) {
			p.data(0, 1, 1000, ts(100, 1))
			p.data(250, 1, 1000, ts(350, 1))
			p.acks(291, 1001, ts(9, 350))
		}, 0, 1},
		{"a delayed ACK of two copies echoes the first", func(p *play) {
			p.data(0, 1, 1000, ts(100, 1))
			p.data(1, 1001, 1000, ts(101, 1))
			p.data(250, 1, 1000, ts(350, 1))
			p.data(251, 1001, 1000, ts(351, 1))
			p.acks(292, 2001, ts(9, 350))
		}, 0, 2},
		{"an ACK 19 ms after the copy, of a round trip of at least 40", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(269, 1001)
		}, 1, 1},
		{"an ACK half a round trip after the copy", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(270, 1001)
		}, 0, 1},
		{"the second copy of one: the first filled the gap", func(p *play) {
			p.data(0, 1, 1000, ts(100, 1))
			p.data(250, 1, 1000, ts(350, 1))
			p.data(500, 1, 1000, ts(600, 1))
			p.acks(541, 1001, ts(9, 350))
			p.acks(542, 1001, ts(9, 350), blocks(1, 1001))
		}, 1, 1},
		{"early, and then reported: once", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(269, 1001)
			p.acks(291, 1001, blocks(1, 1001))
		}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t, ts(1, 1))
			tt.play(p)
			want(t, "spurious", p.a().Loss.Spurious, tt.want)
			want(t, "drops: copies less those that DSACK reports", p.a().LostSegments(), tt.drops)
		})
	}
}

func TestDrops(t *testing.T) {
	tests := []struct {
		name                string
		play                func(p *play)
		copies, dsacked, nd int64
		drops               int64
	}{
		{"three copies, one reported", func(p *play) {
			p.segments(3)
			for i := range seq.SSN(3) {
				p.data(250, 1+1000*i, 1000)
			}
			p.acks(291, 3001, blocks(1001, 2001))
		}, 3, 1, 0, 2},
		{"the network doubled an original: no copy explains it", func(p *play) {
			p.segments(3)
			p.data(250, 1, 1000)
			p.acks(291, 3001, blocks(1001, 2001))
		}, 1, 0, 1, 1},
		{"the network doubled the copy, too", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(291, 1001, blocks(1, 1001))
			p.acks(292, 1001, blocks(1, 1001))
		}, 1, 1, 1, 0},
		{"two copies of one segment, one reported", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.data(700, 1, 1000)
			p.acks(741, 1001, blocks(1, 1001))
		}, 2, 1, 0, 1},
		{"a super-segment of ten, five of it reported in two blocks", func(p *play) {
			p.data(0, 1, 10_000)
			p.data(250, 1, 10_000)
			p.acks(291, 10_001, blocks(1, 3001))
			p.acks(292, 10_001, blocks(5001, 7001))
		}, 10, 5, 0, 5},
		{"one segment reported in two halves", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
			p.acks(291, 1001, blocks(1, 501))
			p.acks(292, 1001, blocks(501, 1001))
		}, 1, 1, 0, 0},
		{"three small copies reported in one block", func(p *play) {
			for i := range seq.SSN(3) {
				p.data(0, 1+100*i, 100)
			}
			for i := range seq.SSN(3) {
				p.data(250, 1+100*i, 100)
			}
			p.acks(291, 301, blocks(1, 301))
		}, 3, 3, 0, 0},
		{"a segment with its FIN", func(p *play) {
			p.give(0, A, fin, 1, 1, 1000)
			p.give(250, A, fin, 1, 1, 1000)
			p.acks(291, 1002, blocks(1, 1002))
		}, 1, 1, 0, 0},
		{"a FIN alone is no data", func(p *play) {
			p.give(0, A, fin, 1, 1, 0)
			p.give(250, A, fin, 1, 1, 0)
			p.acks(291, 2, blocks(1, 2))
		}, 0, 0, 0, 0},
		{"a SYN is none either", func(p *play) {
			p.give(0, A, syn, 0, 0, 0)
			p.acks(1, 1, blocks(0, 1))
		}, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			tt.play(p)
			a := p.a()
			want(t, "copies, reported, doubled by the network, drops",
				[]int64{a.RexmitSegments, a.Loss.DSACKed, a.Loss.NetDuplicate, a.LostSegments()},
				[]int64{tt.copies, tt.dsacked, tt.nd, tt.drops})
		})
	}
}

// Copies that were acknowledged long ago are removed, and later copies are judged as
// before.
func TestCopiesOfALongStream(t *testing.T) {
	p := opened(t, ts(1, 1))
	const n = 2*maxRexmits + 10
	for i := range seq.SSN(n) {
		at, stamp := float64(1000*i), uint32(10+1000*i)
		p.data(at, 1+1000*i, 1000, ts(stamp, 1))
		p.data(at+300, 1+1000*i, 1000, ts(stamp+300, 1))
		p.acks(at+340, 1001+1000*i, ts(9, stamp)) // Eifel detection: all were spurious
	}
	want(t, "needless copies", p.a().Loss.Spurious, n)
}

// At the bound the oldest copies are forgotten: a DSACK of one of them then counts as a
// duplicate of the network.
func TestCopiesAreBounded(t *testing.T) {
	p := opened(t)
	const n = 3 * maxRexmits
	p.data(0, 1, 1000*n)
	for i := range seq.SSN(n) {
		p.data(250, 1+1000*i, 1000)
		if c := len(p.a().Loss.rexmits); c > maxRexmits {
			t.Fatalf("%d copies after %d", c, i+1)
		}
	}
	p.acks(600, 1+1000*n, blocks(1, 1001))
	p.acks(601, 1+1000*n, blocks(1000*(n-1)+1, 1000*n+1))
	want(t, "reported, of those remembered", p.a().Loss.DSACKed, 1)
	want(t, "of those forgotten", p.a().Loss.NetDuplicate, 1)
	want(t, "settled", p.a().Loss.ackedRexmits, len(p.a().Loss.rexmits))
}
