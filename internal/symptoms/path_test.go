package symptoms

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
)

// followed returns a connection of so many subflows.
func followed(n int) *Connection {
	of, c := &conn.Conn{Kind: conn.Multipath}, &Connection{}
	c.Init(of, true)
	for id := range n {
		of.Subflows = append(of.Subflows, &conn.Subflow{Conn: of, ID: id})
		c.AddSubflow(&Subflow{Sub: of.Subflows[id]})
	}
	return c
}

// TestTellOthers: a subflow that makes progress several times tells the others once. The result
// is the same as if it told them each time.
func TestTellOthers(t *testing.T) {
	const subs = 4
	rng := rand.New(rand.NewPCG(1, 3))
	c := followed(subs)
	// The same in the other direction, where each subflow tells the others each time.
	once, always := c.Follow(conn.A), c.Follow(conn.B)
	skipped := 0
	id := 0
	for i := range 5000 {
		at := PacketRef{Packet: uint64(1 + i), Time: int64(1 + i)}
		if rng.IntN(4) == 0 {
			id = rng.IntN(subs)
		}
		a, b := once.Follow(c.followed[id]), always.Follow(c.followed[id])
		always.latest = nil
		if k := rng.IntN(3); k == 0 && !a.waiting {
			a.sent(at)
			b.sent(at)
		} else {
			if once.latest == a {
				skipped++
			}
			a.progress(at, k == 1)
			b.progress(at, k == 1)
		}
		for _, s := range c.followed {
			got, want := *once.Follow(s), *always.Follow(s)
			got.dir, got.sender = want.dir, want.sender
			assert.Assert(t, reflect.DeepEqual(got, want), "step %d, subflow %d: %+v, want %+v", i, s.Sub.ID, got, want)
		}
	}
	assert.Check(t, skipped >= 1000, "subflows told the others nothing %d times, want 1000 or more", skipped)
}
