package subflow

import "testing"

func TestUnresolved(t *testing.T) {
	tests := []struct {
		name string
		play func(p *play)
		want int64
	}{
		{"nothing was sent", func(*play) {}, 0},
		{"no segment of three is acknowledged", func(p *play) { p.segments(3) }, 3},
		{"one of three is SACKed", func(p *play) {
			p.segments(3)
			p.acks(41, 1, blocks(1001, 2001))
		}, 2},
		{"all are acknowledged", func(p *play) {
			p.segments(3)
			p.acks(41, 3001)
		}, 0},
		{"sent twice, lost once", func(p *play) {
			p.segments(1)
			p.data(250, 1, 1000)
		}, 1},
		{"a super-segment of 4500, 1000 acknowledged: ceil(3500 / 1000)", func(p *play) {
			p.data(0, 1, 4500)
			p.acks(41, 1001)
		}, 4},
		{"its middle is SACKed: ceil(8000 / 1000), counted together", func(p *play) {
			p.data(0, 1, 10_000)
			p.acks(41, 1, blocks(3501, 5501))
		}, 8},
		{"what lies below a SACKed middle is acknowledged: ceil(4500 / 1000)", func(p *play) {
			p.data(0, 1, 10_000)
			p.acks(41, 1, blocks(3501, 5501))
			p.acks(42, 5501)
		}, 5},
		{"a FIN is no data", func(p *play) { p.give(0, A, fin, 1, 1, 1000) }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			tt.play(p)
			want(t, "segments", p.a().UnresolvedSegments(), tt.want)
		})
	}
	t.Run("a SYN is no data", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		want(t, "segments", p.a().UnresolvedSegments(), 0)
	})
}
