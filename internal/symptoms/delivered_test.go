package symptoms

import (
	"testing"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// acks passes acknowledgments of 1250 bytes each to a Delivered.
type acks struct {
	Delivered
	end seq.SSN
	out subflow.Ack
}

// ack acknowledges the next segment, sent at one time and acknowledged at another, ms.
func (x *acks) ack(sent, at int64) {
	r := seq.Range[seq.SSN]{Start: x.end, End: x.end + 1250}
	x.end = r.End
	x.out = subflow.Ack{New: true, NewestRTT: (at - sent) * 1e6, NewlyAcked: append(x.out.NewlyAcked[:0], r)}
	x.Delivered.ack(&x.out, r.Len(), at*1e6, 20e6)
}

// TestDeliveredRate: a link passes 1250 bytes each millisecond, which is 10 Mbit/s.
func TestDeliveredRate(t *testing.T) {
	const rtt = 20
	tests := []struct {
		name string
		play func(x *acks)
		want float64 // Mbit/s; 0 = not known
	}{
		{"three seconds", func(x *acks) {
			for ms := range int64(3000) {
				x.ack(ms, ms+rtt)
			}
		}, 10},
		{"a second of half the rate, two of the whole", func(x *acks) {
			for ms := range int64(500) {
				x.ack(2*ms, 2*ms+rtt)
			}
			for ms := int64(1000); ms < 3000; ms++ {
				x.ack(ms, ms+rtt)
			}
		}, 10},
		{"the acknowledgments of 400 ms wait and come at once", func(x *acks) {
			for ms := range int64(3000) {
				if ms >= 1500 && ms < 1900 {
					x.ack(ms, 1900+rtt)
				} else {
					x.ack(ms, ms+rtt)
				}
			}
		}, 10},
		{"half a second", func(x *acks) {
			for ms := range int64(501) {
				x.ack(ms, ms+rtt)
			}
		}, 10},
		{"half a second, a pause of five, and a segment", func(x *acks) {
			for ms := range int64(501) {
				x.ack(ms, ms+rtt)
			}
			x.ack(5500, 5500+rtt)
		}, 10},
		{"a tenth of a second", func(x *acks) {
			for ms := range int64(100) {
				x.ack(ms, ms+rtt)
			}
		}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var x acks
			test.play(&x)
			r, ok := x.Most()
			if got := r.Mbps(); ok != (test.want > 0) || ok && got != test.want {
				t.Errorf("%g Mbit/s, known %v, want %g", got, ok, test.want)
			}
		})
	}
}

// TestDeliveredAllocates: acknowledgments need no memory.
func TestDeliveredAllocates(t *testing.T) {
	var x acks
	ms := int64(0)
	x.ack(0, 1)
	if n := testing.AllocsPerRun(5000, func() { ms++; x.ack(ms, ms+1) }); n != 0 {
		t.Errorf("%g allocations for each acknowledgment", n)
	}
}
