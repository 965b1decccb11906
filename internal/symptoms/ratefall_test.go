package symptoms

import (
	"testing"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// falling passes acknowledgments of 1250 bytes each to a RateFalls.
type falling struct {
	RateFalls
	end seq.SSN
	n   uint64
	rtt int64 // ms
}

// link passes acknowledgments from one time to another, ms, one each every ms.
func (x *falling) link(from, to, every int64) {
	for at := from; at < to; at += every {
		r := seq.Range[seq.SSN]{Start: x.end, End: x.end + 1250}
		x.end = r.End
		x.n++
		a := subflow.Ack{New: true, NewestRTT: x.rtt * 1e6, NewlyAcked: []seq.Range[seq.SSN]{r}}
		x.ack(&a, r.Len(), PacketRef{x.n, at * 1e6}, true, 20e6, &Rate{1250 * 1000, 1e9})
	}
}

// TestRateFalls: a path of 10 Mbit/s (1250 bytes each millisecond) and 20 ms gives 2 Mbit/s
// (1250 bytes each 5 ms) for two seconds. It is a fall where the round trips are longer, too: else
// less was in flight. Where it gives 6 Mbit/s, or is slow for 400 ms, or answers nothing at
// all, it is none.
func TestRateFalls(t *testing.T) {
	tests := []struct {
		name    string
		every   int64 // ms
		length  int64 // ms
		rtt     int64 // ms
		during  float64
		falling bool
	}{
		{"2 Mbit/s", 5, 2000, 100, 2, true},
		{"less in flight", 5, 2000, 25, 0, false},
		{"5 Mbit/s", 2, 2000, 100, 0, false},
		{"400 ms", 5, 400, 100, 0, false},
		{"down", 1500, 3000, 100, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &falling{rtt: 20}
			x.link(1, 2001, 1)
			x.rtt = tt.rtt
			x.link(2001, 2001+tt.length, tt.every)
			x.rtt = 20
			x.link(2001+tt.length, 5001, 1)
			if got := x.Count > 0; got != tt.falling {
				t.Fatalf("%d falls", x.Count)
			}
			if !tt.falling {
				return
			}
			l := x.Longest
			// The windows of 200 ms with the change in them are not counted, or count in part.
			if d := l.Duration() / 1e6; d < tt.length-400 || d > tt.length+200 {
				t.Errorf("%d ms", d)
			}
			if m := l.During.Mbps(); m < 0.9*tt.during || m > 1.5*tt.during {
				t.Errorf("%g Mbit/s", m)
			}
			if l.Before.Mbps() != 10 || l.RTT != 100e6 {
				t.Errorf("%g Mbit/s before, %d ns", l.Before.Mbps(), l.RTT)
			}
		})
	}
}
