package account

import (
	"slices"
	"testing"
)

// TestBuffer: nothing new leaves from 100 ms on while ten segments are outstanding. An advance of the DATA_ACK ends that.
func TestBuffer(t *testing.T) {
	for _, x := range []struct {
		name   string
		events []event
		end    float64
		want   State
	}{
		{"50 ms", []event{acked(140, 10*segment, segment, Ack{DataAck: true}), acked(150, 0, segment, Ack{DataAck: true})}, 150, Window},
		{"less", []event{acked(140, 10*segment, segment, Ack{DataAck: true}), acked(149.9, 0, segment, Ack{DataAck: true})}, 149.9, Undetermined},
		{"later than half a millisecond", []event{acked(140, 10*segment, segment, Ack{DataAck: true}), acked(150, 0, segment, Ack{DataAck: true})}, 150.6, Application},
		{"an ACK of the subflow alone", []event{acked(140, 9*segment, 0, Ack{}), acked(150, segment, 0, Ack{})}, 150, Undetermined},
		{"less outstanding than before", []event{acked(140, 10*segment, 2*segment, Ack{DataAck: true}), acked(150, 0, segment, Ack{DataAck: true})}, 150, Undetermined},
		{"an answer to the peer", []event{acked(140, 10*segment, segment, Ack{DataAck: true}), acked(150, 0, segment, Ack{DataAck: true}), peer(150)}, 150, Undetermined},
	} {
		p := newPlay(1)
		p.play(slices.Concat([]event{send(100, 10)}, x.events, []event{send(x.end, 1), acked(x.end+40, segment, p.out, Ack{DataAck: true})}))
		p.a.Close()
		if got := p.subs[0].Times[x.want]; got < ns(x.end-100) {
			t.Errorf("%s: %d us of state %d, want %v at least", x.name, got/1000, x.want, x.end-100)
		}
	}
}
