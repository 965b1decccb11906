package pair

import "testing"

// TestPaired: an open connection is in both captures, or in none if the other capture does
// not have it.
func TestPaired(t *testing.T) {
	s, _, _ := upload(20)
	v := capture2(s)
	p, finish := play(t, v, Options{})
	asked := 0
	for c, w := range p.open {
		asked++
		if !p.Paired(c) {
			t.Errorf("capture %d: the connection is not paired", w.end)
		}
	}
	finish()
	if asked != 2 || len(p.open) != 0 {
		t.Errorf("%d connections were open, then %d; want 2, then none", asked, len(p.open))
	}

	v[AtReceiver] = nil
	p, finish = play(t, v, Options{})
	for c := range p.open {
		if p.Paired(c) {
			t.Error("a connection of one capture is in the other one")
		}
	}
	finish()
}
