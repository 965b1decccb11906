package subflow

import "testing"

func TestStates(t *testing.T) {
	tests := []struct {
		name string
		play string
		want State
		done bool
	}{
		{"SYN", "0 A syn 0 0 0", Opening, false},
		{"SYN/ACK", "0 A syn 0 0 0; 1 B synAck 0 1 0", Open, false},
		{"the middle of a connection", "0 B ack 5000 7000 100", Open, false},
		{"refused", "0 A syn 0 0 0; 1 B rst|ack 0 1 0", Refused, true},
		{"given up by the initiator", "0 A syn 0 0 0; 1 A rst 1 0 0", Reset, true},
		{"reset", "0 A syn 0 0 0; 1 B synAck 0 1 0; 2 A rst 1 0 0", Reset, true},
		{"one FIN", "0 fin 1+0; 1 B ack 1 2 0", Open, false},
		{"both FINs, the last not acknowledged", "0 fin 1+0; 1 B fin 1 2 0", Open, false},
		{"closed", "0 fin 1+0; 1 B fin 1 2 0; 2 A ack 2 2 0", Closed, true},
		{"a RST after the end changes nothing", "0 fin 1+0; 1 B fin 1 2 0; 2 A ack 2 2 0; 3 B rst 2 0 0", Closed, true},
		{"a second RST changes nothing", "0 A syn 0 0 0; 1 B rst|ack 0 1 0; 2 A rst 1 0 0", Refused, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t)
			p.run(tt.play)
			want(t, "state", p.State, tt.want)
			want(t, "done", p.Done(), tt.done)
		})
	}
}

func TestNames(t *testing.T) {
	want(t, "states", []string{Opening.String(), Open.String(), Closed.String(), Reset.String(), Refused.String()},
		[]string{"opening", "open", "closed", "reset", "refused"})
	want(t, "sides", A.String()+B.String()+A.Other().String()+B.Other().String(), "abba")
}
