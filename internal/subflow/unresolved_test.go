package subflow

import "testing"

func TestUnresolved(t *testing.T) {
	tests := []struct {
		name string
		play string
		want int64
	}{
		{"nothing was sent", "", 0},
		{"no segment of three is acknowledged", "0 segments 3", 3},
		{"one of three is SACKed", "0 segments 3; 41 ack 1 sack 1001-2001", 2},
		{"all are acknowledged", "0 segments 3; 41 ack 3001", 0},
		{"sent twice, lost once", "0 segments 1; 250 data 1+1000", 1},
		{"a super-segment of 4500, 1000 acknowledged: ceil(3500 / 1000)", "0 data 1+4500; 41 ack 1001", 4},
		{"its middle is SACKed: ceil(8000 / 1000), counted together", "0 data 1+10000; 41 ack 1 sack 3501-5501", 8},
		{"what lies below a SACKed middle is acknowledged: ceil(4500 / 1000)", "0 data 1+10000; 41 ack 1 sack 3501-5501; 42 ack 5501", 5},
		{"a FIN is no data", "0 fin 1+1000", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.run(tt.play)
			want(t, "segments", p.a().UnresolvedSegments(), tt.want)
		})
	}
	t.Run("a SYN is no data", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		want(t, "segments", p.a().UnresolvedSegments(), 0)
	})
}
