package metrics

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// What is given back is as good as new, but for the room of its lists.
func TestGivenBackFiguresAreEmpty(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	for i := range 100 {
		at := time.Duration(400+10*i) * msec
		acked(slow, at, int64(2000*i), 1000)
		acked(fast, at, int64(2000*i+1000), 1000)
	}
	slow.RST(tracegen.A2B, 3000*msec)
	var m *Connection
	play(t, s, tracegen.HostB, NewCollector(Config{QoE: DefaultQoE}, func(c *Connection) { m = c }))
	if a := m.dirs[conn.A]; len(m.Subs) != 2 || a.Order.Reordered < 50 || a.queue.Bytes.N() < 50 || m.Subs[0].dirs[conn.A].SRTT.N() < 50 {
		t.Fatal("the session shows too little")
	}
	subs, dirs := slices.Clone(m.Subs), m.dirs
	m.clear()
	same := func(what string, fresh, got any) {
		t.Helper()
		options := cmp.Options{
			cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(spareSub{}),
			cmp.Comparer(func(a, b stats.Dist) bool { return a.N() == 0 && b.N() == 0 }),
		}
		if d := cmp.Diff(fresh, got, options); d != "" {
			t.Errorf("%s (-new +reused):\n%s", what, d)
		}
	}
	for side, used := range dirs {
		if used == nil {
			continue
		}
		d := m.newDir(conn.Side(side))
		if same("direction", new(Dir), d); d != used {
			t.Errorf("direction of side %d: other memory", side)
		}
	}
	same("connection", new(Connection), m)
	for n := range 3 {
		sub := m.newSub()
		m.Subs = append(m.Subs, sub)
		same("subflow", new(Sub), sub)
		if n == len(subs) {
			break
		}
		if sub != subs[n] {
			t.Errorf("subflow %d: other memory", n)
		}
		for side := range sub.ways {
			from := conn.Side(side)
			if sub.spare.dirs[from] == nil || sub.spare.courses[from] == nil || sub.spare.talks[from] == nil {
				t.Errorf("subflow %d, side %d: nothing is spare", n, side)
			}
			same("direction of a subflow", new(SubDir), sub.newDir(from))
			same("course", new(Course), sub.newCourse(from))
			same("talk", new(Talk), sub.newTalk(from))
		}
	}
}
