package conn

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/tracegen"
)

// A returned connection equals a new one, except for the capacity of its lists.
func TestReclaimedConnectionIsEmpty(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1, Checksum: true})
	g, then := joined(s, 1, at)
	mapping := f.Map(a2b, 0, 4000)
	for n := range 4 {
		mapping.Send(then+time.Duration(3-n)*ms, 1000*n, 1000) // the last first
	}
	g.Data(a2b, then+5*ms, 2000, 500)
	_, m := feed(segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw))
	c := m.only(t).c
	assert.Assert(t, len(c.Subflows) == 2 && c.Spaces[A].Bytes == 4000, "the session shows too little")
	subs, spaces := slices.Clone(c.Subflows), slices.Clone(c.Subflows[0].Spaces[:])
	c.clear()
	same := func(what string, fresh, got any) {
		t.Helper()
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		assert.Check(t, is.DeepEqual(got, fresh, all, cmpopts.EquateEmpty()), "%s", what)
	}
	same("connection", new(Conn), c)
	for n := range 3 {
		sub := c.recycledSubflow()
		same("subflow", new(Subflow), sub)
		assert.Check(t, n >= 2 || sub == subs[n], "subflow %d: other memory", n)
		c.Subflows = append(c.Subflows, sub)
		for side := range c.Spaces {
			l := c.Spaces[side].NewSubflow(n)
			same("subflow space", &dss.SubflowSpace{ID: n}, l)
			assert.Check(t, n != 0 || l == spaces[side], "subflow space of side %d: other memory", side)
		}
	}
}

// No more memory is kept than the bounds allow.
func TestReclaimBounds(t *testing.T) {
	table := NewTable(Options{})
	begin := func(subflows int) *Conn {
		c := table.newConn(0)
		for range subflows {
			c.Subflows = append(c.Subflows, new(Subflow))
		}
		return c
	}
	large, small := begin(maxPooledSubflows+1), begin(1)
	large.Recycle(nil)
	small.Recycle(nil)
	if got := table.newConn(0); got != small {
		t.Error("the small connection was not used again")
	}
	if got := table.newConn(0); got == large {
		t.Error("the large connection was kept")
	}
	for range 3 * maxPooled {
		(&Conn{pool: &table.pool}).Recycle(nil)
	}
	assert.Check(t, len(table.pool.list) == maxPooled, "%d connections wait, want %d", len(table.pool.list), maxPooled)
}
