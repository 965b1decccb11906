package pair

import (
	"testing"

	"mpanalyze/internal/conn"
)

// TestToldByPeer: A's capture is the sender's, so what A sends is told by the peer of
// the other one. B sends no data, and nobody tells of what only one capture has.
func TestToldByPeer(t *testing.T) {
	s, _, _ := upload(20)
	v := capture2(s)
	p, finish := play(t, v, Options{})
	asked := 0
	for c, w := range p.open {
		asked++
		if !p.Paired(c) {
			t.Errorf("capture %d: the connection is not paired", w.end)
		}
		for side, at := range map[conn.Side]End{conn.A: AtSender, conn.B: AtReceiver} {
			if got, want := p.ToldByPeer(c, nil, side), w.end != at && side == conn.A; got != want {
				t.Errorf("capture %d: what %v sends is told by the peer: %v, want %v", w.end, side, got, want)
			}
			if got, want := p.ToldByPeer(c, c.Subflows[0], side), w.end != at && side == conn.A; got != want {
				t.Errorf("capture %d: what %v sends on the subflow is told by the peer: %v, want %v", w.end, side, got, want)
			}
		}
	}
	finish()
	if asked != 2 || len(p.open) != 0 {
		t.Errorf("%d connections were open, then %d; want 2, then none", asked, len(p.open))
	}

	v[AtReceiver] = nil
	p, finish = play(t, v, Options{})
	for c := range p.open {
		if p.Paired(c) || p.ToldByPeer(c, nil, conn.B) || p.ToldByPeer(c, c.Subflows[0], conn.B) {
			t.Error("a connection of one capture is in the other one")
		}
	}
	finish()
}
