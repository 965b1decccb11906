package pair

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestPaired: an open connection is in both captures, or in none if the other capture does
// not have it.
func TestPaired(t *testing.T) {
	s, _, _ := upload(20)
	v := capture2(s)
	p, finish := play(t, v, Options{})
	asked := 0
	for c, w := range p.open {
		asked++
		assert.Check(t, p.Paired(c), "capture %d: the connection is not paired", w.end)
	}
	finish()
	assert.Check(t, asked == 2 && len(p.open) == 0, "%d connections were open, then %d; want 2, then none", asked, len(p.open))

	v[AtReceiver] = nil
	p, finish = play(t, v, Options{})
	for c := range p.open {
		assert.Check(t, !p.Paired(c), "a connection of one capture is in the other one")
	}
	finish()
}
