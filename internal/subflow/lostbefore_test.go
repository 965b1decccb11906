package subflow

import "testing"

// The capture is at A, the sender. The second of three segments is not captured before the
// third; the round trip is 40 ms.
func TestLossBeforeCapture(t *testing.T) {
	type counts struct{ Before, Drops, Missed, NotCaptured, Unresolved int64 }
	// ACKs of the third cause a copy of the second.
	const copied = "45 ack 1001 ts 500,106 sack 2001-3001; 46 data 1001+1000 ts 146,500; "
	tests := []struct {
		name string
		play string
		want counts
	}{
		{"a copy fills the hole", copied + "86 ack 3001 ts 540,146", counts{Before: 1, Drops: 1}},
		{"that copy is lost on the way: two losses", copied + "300 data 1001+1000 ts 400,500; 340 ack 3001 ts 800,400", counts{Before: 1, Drops: 2}},
		{"a second copy is needless: one loss", copied + "300 data 1001+1000 ts 400,500; 310 ack 3001 ts 760,146; 340 ack 3001 ts 800,400 sack 1001-2001", counts{Before: 1, Drops: 1}},
		{"DSACK: the first copy had arrived", copied + "86 ack 3001 ts 540,500 sack 1001-2001", counts{Missed: 1}},
		{"Eifel: the ACK echoes what left before the copy", copied + "86 ack 3001 ts 540,105", counts{Missed: 1}},
		{"an ACK 10 ms after the copy is for the first one", copied + "56 ack 3001 ts 510,146", counts{Missed: 1}},
		{"acknowledged without a copy", "46 ack 3001 ts 500,106", counts{NotCaptured: 1000}},
		{"acknowledged before a needless copy", "46 ack 3001 ts 500,106; 300 data 1001+1000 ts 400,500", counts{}},
		{"SACKed before a needless copy", "46 ack 1 ts 500,106 sack 1001-3001; 300 data 1001+1000 ts 400,500", counts{Unresolved: 1}}, // the first segment
		{"nothing fills or acknowledges it", "45 ack 1001 ts 500,106 sack 2001-3001", counts{Unresolved: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.data(5, 1, 1000, ts(105, 1))
			p.data(6, 2001, 1000, ts(106, 1))
			p.run(tt.play)
			a := p.a()
			missing, _ := a.NotCaptured()
			want(t, "lost before the capture, lost, missed by the capture, bytes acknowledged and not captured, unresolved",
				counts{a.LostBeforeCapture(), a.LostSegments(), a.Loss.Missed, missing, a.UnresolvedSegments()}, tt.want)
		})
	}
}

// What is missing at the end of the capture may be the FIN; its position is no data.
func TestNotCapturedFIN(t *testing.T) {
	missing := func(p *play) int64 {
		n, _ := p.a().NotCaptured()
		return n
	}
	p := opened(t)
	p.data(0, 1, 1000)
	p.acks(40, 1002)
	want(t, "the FIN", missing(p), 0)
	p.acks(41, 3002)
	want(t, "2000 bytes and the FIN, or 2001 bytes", missing(p), 2000)
	p = opened(t)
	p.acks(40, 1002)
	want(t, "a direction of which nothing was captured", missing(p), 0)
}
