package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// The round trip of the handshake is 40 ms: SRTT = 40, RTTVAR = 20, and the
// timeout is 40 + max(200, 80) = 240 ms. Round trips of 40 ms leave it there.
func TestCauses(t *testing.T) {
	causes := func(fast, timeout, probe int64) [nCauses]int64 { return [nCauses]int64{fast, timeout, probe} }
	tests := []struct {
		name string
		play string
		want [nCauses]int64
	}{
		{"later data was SACKed", "0 segments 3; 42 ack 1 sack 2001-3001; 43 data 1+1000", causes(1, 0, 0)},
		// The first ACK has the first window that is not of a SYN: later ACKs can repeat it.
		{"three duplicate ACKs, late", "0 ack 1; 0 segments 5; 42 ack 1; 42 ack 1; 42 ack 1; 250 data 1+1000", causes(1, 0, 0)},
		{"two duplicate ACKs and a silence of 246 ms", "0 ack 1; 0 segments 5; 42 ack 1; 43 ack 1; 250 data 1+1000", causes(0, 1, 0)},
		{"progress in between: the duplicates count anew", "0 ack 1; 0 segments 5; 42 ack 1; 43 ack 1; 44 ack 1001; 45 ack 1001; 300 data 1001+1000", causes(0, 1, 0)},
		{"for reasons unseen, long before the timeout", "0 segments 5; 100 data 1+1000", [nCauses]int64{UnknownCause: 1}},
		{"all that is in flight, after the timeout", "0 segments 3; 250 data 1+1000; 290 ack 1001; 290 data 1001+1000; 290 data 2001+1000", causes(0, 3, 0)},
		{"the timeout's recovery is over: duplicate ACKs mean loss again", "0 segments 2; 250 data 1+1000; 290 ack 2001; 291 data 2001+2000; 331 ack 2001 sack 3001-4001; 332 data 2001+1000", causes(1, 1, 0)},
		{"the last segment before the timeout", "0 segments 3; 41 ack 2001; 101 data 2001+1000", causes(0, 0, 1)},
		{"the last segment, when the timeout is due", "0 segments 3; 41 ack 2001; 282 data 2001+1000", causes(0, 0, 1)}, // a sample of 41 ms: the timeout is 240.125 ms
		{"the last segment, and after another silence once more", "0 segments 1; 241 data 1+1000; 482 data 1+1000", causes(0, 1, 1)},
		{"the last of two, and after another silence once more", "0 segments 2; 100 data 1001+1000; 341 data 1001+1000", causes(0, 1, 1)},
		{"the last segment with its FIN", "0 segments 2; 2 fin 2001+1000; 41 ack 2001; 101 fin 2001+1000", causes(0, 0, 1)},
		{"a fast copy, lost as well, and then the timeout", "0 segments 3; 42 ack 1 sack 2001-3001; 43 data 1+1000; 283 data 1+1000", causes(1, 1, 0)},
		{"a fast copy, lost as well, and found out in time", "0 segments 3; 42 ack 1 sack 2001-3001; 43 data 1+1000; 230 data 1+1000", causes(2, 0, 0)}, // 187 ms after the copy: less than 0.8 * 240
		{"a super-segment counts its segments", "0 data 1+4500; 250 data 1+4500", causes(0, 5, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.run(tt.play)
			want(t, "fast, timeout, tail probe", p.a().Loss.ByCause, tt.want)
			want(t, "all of them", p.a().RexmitSegments, tt.want[FastRetransmit]+tt.want[Timeout]+tt.want[TailLossProbe]+tt.want[UnknownCause])
		})
	}
}

func TestSpurious(t *testing.T) {
	tests := []struct {
		name  string
		play  string
		want  int64
		drops int64
	}{
		{"reported by DSACK", "0 segments 1; 250 data 1+1000; 291 ack 1001 sack 1-1001", 1, 0},
		{"not reported", "0 segments 1; 250 data 1+1000; 291 ack 1001", 0, 1},
		{"Eifel: the ACK echoes the original. The copy may still have been lost", "0 data 1+1000 ts 100,1; 250 data 1+1000 ts 350,1; 291 ack 1001 ts 9,100", 1, 1},
		{"Eifel: the ACK echoes the copy", "0 data 1+1000 ts 100,1; 250 data 1+1000 ts 350,1; 291 ack 1001 ts 9,350", 0, 1},
		{"a delayed ACK of two copies echoes the first", "0 data 1+1000 ts 100,1; 1 data 1001+1000 ts 101,1; 250 data 1+1000 ts 350,1; 251 data 1001+1000 ts 351,1; 292 ack 2001 ts 9,350", 0, 2},
		{"an ACK 19 ms after the copy, of a round trip of at least 40", "0 segments 1; 250 data 1+1000; 269 ack 1001", 1, 1},
		{"an ACK half a round trip after the copy", "0 segments 1; 250 data 1+1000; 270 ack 1001", 0, 1},
		{"the second copy of one: the first filled the gap", "0 data 1+1000 ts 100,1; 250 data 1+1000 ts 350,1; 500 data 1+1000 ts 600,1; 541 ack 1001 ts 9,350; 542 ack 1001 ts 9,350 sack 1-1001", 1, 1},
		{"early, and then reported: once", "0 segments 1; 250 data 1+1000; 269 ack 1001; 291 ack 1001 sack 1-1001", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t, ts(1, 1))
			p.run(tt.play)
			want(t, "spurious", p.a().Loss.Spurious, tt.want)
			want(t, "drops: copies less those that DSACK reports", p.a().LostSegments(), tt.drops)
		})
	}
}

// An ACK that covers two copies proves one loss where the receiver could not tell what it had.
func TestUnproven(t *testing.T) {
	const two = "opened; 0 segments 3; 250 data 1+1000; 251 data 1001+1000; "
	scripts(t, [][2]string{
		{"each copy has its ACK", two + "291 ack 1001 optlen 32; 292 ack 2001 optlen 32; unproven 0"},
		{"one ACK for both, without room for SACK", two + "292 ack 2001 optlen 31; unproven 1"},
		{"with room for a block", two + "292 ack 2001 optlen 30; unproven 0"},
		{"a duplicate ACK had none", two + "260 ack 1 optlen 31; 292 ack 2001 optlen 12; unproven 1"},
		{"nor had data of the receiver", two + "260 B ack 1 1 500 optlen 31; 292 B ack 501 2001 0 optlen 12; unproven 1"},
		{"data was sent after that", "opened; 0 segments 1; 41 ack 1001 optlen 31; 42 data 1001+2000; 250 data 1001+1000; 251 data 2001+1000; 292 ack 3001 optlen 12; unproven 0"},
		{"a report counts the copy as a duplicate", two + "292 ack 2001 optlen 31; 293 ack 2001 sack 1001-2001; unproven 0; vain 1"},
		{"the original came, by Eifel", "opened; 0 data 1+1000 ts 100,1; 250 data 1+1000 ts 350,1; 291 ack 1001 ts 9,100 optlen 32; unproven 1"},
		{"one of two segments of a copy is reported", "opened; 0 segments 4; 250 data 1+1000; 251 data 1001+2000; 292 ack 3001 optlen 31; unproven 2; 293 ack 3001 sack 1001-2001; unproven 1; vain 1"},
		{"an ACK before, which advances, had none", "opened; 0 segments 3; 41 ack 1001 optlen 31; 250 data 1001+1000; 251 data 2001+1000; 292 ack 3001 optlen 12; unproven 1"},
		{"reported, and acknowledged after that", two + "260 ack 1 optlen 31; 261 ack 1 sack 1001-2001; 292 ack 1 sack 1001-2001,1001-3001; 293 ack 3001 optlen 31; unproven 0"},
		{"an ACK crossed the copy", "opened; 0 segments 3; 41 ack 1001; 42 data 1+1000; unproven 1"},
	})
}

func TestDrops(t *testing.T) {
	tests := []struct {
		name                string
		play                string
		copies, dsacked, nd int64
		drops               int64
	}{
		{"three copies, one reported", "0 segments 3; 250 segments 3; 291 ack 3001 sack 1001-2001", 3, 1, 0, 2},
		{"the network doubled an original: no copy explains it", "0 segments 3; 250 data 1+1000; 291 ack 3001 sack 1001-2001", 1, 0, 1, 1},
		{"the network doubled the copy, too", "0 segments 1; 250 data 1+1000; 291 ack 1001 sack 1-1001; 292 ack 1001 sack 1-1001", 1, 1, 1, 0},
		{"two copies of one segment, one reported", "0 segments 1; 250 data 1+1000; 700 data 1+1000; 741 ack 1001 sack 1-1001", 2, 1, 0, 1},
		{"a super-segment of ten, five of it reported in two blocks", "0 data 1+10000; 250 data 1+10000; 291 ack 10001 sack 1-3001; 292 ack 10001 sack 5001-7001", 10, 5, 0, 5},
		{"one segment reported in two halves", "0 segments 1; 250 data 1+1000; 291 ack 1001 sack 1-501; 292 ack 1001 sack 501-1001", 1, 1, 0, 0},
		{
			"three small copies reported in one block",
			"0 data 1+100; 0 data 101+100; 0 data 201+100; 250 data 1+100; 250 data 101+100; 250 data 201+100; 291 ack 301 sack 1-301", 3, 3, 0, 0,
		},
		{"a segment with its FIN", "0 fin 1+1000; 250 fin 1+1000; 291 ack 1002 sack 1-1002", 1, 1, 0, 0},
		{"a FIN alone is no data", "0 fin 1+0; 250 fin 1+0; 291 ack 2 sack 1-2", 0, 0, 0, 0},
		{"a SYN is none either", "0 A syn 0 0 0; 1 ack 1 sack 0-1", 0, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.run(tt.play)
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
		c := len(p.a().Loss.rexmits)
		assert.Assert(t, c <= maxRexmits, "%d copies after %d", c, i+1)
	}
	p.acks(600, 1+1000*n, blocks(1, 1001))
	p.acks(601, 1+1000*n, blocks(1000*(n-1)+1, 1000*n+1))
	want(t, "reported, of those remembered", p.a().Loss.DSACKed, 1)
	want(t, "of those forgotten", p.a().Loss.NetDuplicate, 1)
	want(t, "settled", int(p.a().Loss.ackedRexmits), len(p.a().Loss.rexmits))
}
