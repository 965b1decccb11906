package metrics

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// What a connection leaves behind must be as good as new, but for the room of
// its lists.
func TestReusedMemoryIsEmpty(t *testing.T) {
	for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		m := measure(t, blocked(), v, Config{Interval: 100 * msec, QoE: DefaultQoE})
		if len(m.k.spares) != 0 || len(m.Subs) != 2 || len(m.Events) == 0 || m.Dirs[conn.A].HoLDegree.N() == 0 {
			t.Fatalf("%v: the session shows too little", v)
		}
		k, used := m.k, m.Connection
		k.Reuse(used)
		reused := k.empty()
		if reused != used || len(k.spares) != 0 {
			t.Errorf("%v: other memory", v)
		}
		all := cmp.Options{
			cmp.Exporter(func(reflect.Type) bool { return true }),
			cmp.Comparer(func(a, b stats.Dist) bool { return a.N() == 0 && b.N() == 0 }),
			cmpopts.IgnoreFields(smoothed{}, "samples"), // of which those count that wait
		}
		if d := cmp.Diff(new(Connection), reused, all, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%v: connection (-new +reused):\n%s", v, d)
		}
		for range 3 {
			if d := cmp.Diff(new(Sub), reused.sub(), all, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%v: subflow (-new +reused):\n%s", v, d)
			}
		}
		if len(reused.Subs) != 3 || reused.Subs[0] == reused.Subs[1] || reused.Subs[1] == reused.Subs[2] {
			t.Errorf("%v: subflows share memory", v)
		}
	}
}

// Small connections, one after the other, take no new memory; of many at once
// no more are kept than the bound, and none that carried much.
func TestSpareConnections(t *testing.T) {
	var k *Collector
	k = NewCollector(Config{QoE: DefaultQoE}, func(m *Connection) { k.Reuse(m) })
	c := &conn.Conn{}
	sub := &conn.Subflow{Conn: c}
	c.Subflows = []*conn.Subflow{sub}
	open := func() *Connection {
		m := k.Open(c).(*Connection)
		m.Subflow(sub)
		return m
	}
	if n := testing.AllocsPerRun(100, func() { open().Close(0) }); n != 0 {
		t.Errorf("%v allocations per connection", n)
	}
	var all []*Connection
	for range maxSpare + 10 {
		all = append(all, open())
	}
	for _, m := range all {
		m.Close(0)
	}
	if len(k.spares) != maxSpare {
		t.Errorf("%d connections are kept, want %d", len(k.spares), maxSpare)
	}
	m := open()
	sub.Half[conn.B].Bytes = maxSpareBytes
	m.Close(0)
	if len(k.spares) != maxSpare-1 {
		t.Error("a large connection was kept")
	}
}
