package conn

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// ledger records the result of each connection, and may return the connection to the table
// then.
type ledger struct {
	text  map[int]string // by number
	back  bool
	ended []*Conn
}

type entry struct {
	Nop
	l    *ledger
	c    *Conn
	told strings.Builder
}

func (l *ledger) Open(c *Conn) Observer { return &entry{l: l, c: c} }

func (e *entry) Packet(p *Packet) {
	fmt.Fprintf(&e.told, "#%d s%d %v %v %v;", p.Seg.Num, p.Sub.ID, p.TCP.Sent.Range, p.Pieces, p.TCP.Ack.NewlyAcked)
}
func (e *entry) Event(v *Event) { fmt.Fprintf(&e.told, "%s #%d;", v.Kind, v.Packet) }

func (e *entry) Close(at int64) {
	c := e.c
	fmt.Fprintf(&e.told, "end %d %v %v %q", at, c.Kind, c.State(), c.Fallback)
	for _, s := range c.Subflows {
		fmt.Fprintf(&e.told, "; %v %+v %+v %v", s.Ends, s.Senders[A].Counters, s.Senders[B].Counters, s.HMAC)
		fmt.Fprintf(&e.told, " %d %d %d", s.Spaces[A].MappedBytes(), s.Spaces[B].MappedBytes(), s.Spaces[A].UnmappedBytes)
	}
	e.l.text[c.Order] = e.told.String()
	e.l.ended = append(e.l.ended, c)
	if e.l.back {
		c.Recycle(nil)
	}
}

// The results of connections do not change if they reuse memory. Connections in a table are
// often those that it had before.
func TestReusedConnections(t *testing.T) {
	again := 0
	seeds := uint64(testrun.Cases(40))
	for seed := range seeds {
		r := &chance{Rand: rand.New(rand.NewPCG(seed, 77)), odd: 40, slow: 30, now: int64(time.Hour)}
		r.flow()
		packets := make([]packet.Segment, 3000)
		for i := range packets {
			packets[i] = r.packet()
		}
		var texts [2]map[int]string
		for back := range texts {
			l := &ledger{text: map[int]string{}, back: back == 1}
			table := NewTable(Options{}, l)
			for i := range packets {
				table.Segment(&packets[i])
			}
			table.Finish()
			texts[back] = l.text
			if back == 1 {
				known := map[*Conn]bool{}
				for _, c := range l.ended {
					known[c] = true
				}
				again += len(l.ended) - len(known)
			}
		}
		if d := cmp.Diff(texts[0], texts[1]); d != "" {
			t.Fatalf("seed %d (-new +reused):\n%s", seed, d)
		}
	}
	t.Logf("%d connections were made of others", again)
	if again < 100*int(seeds)/40 {
		t.Errorf("only %d connections were made of others", again)
	}
}

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
	if len(c.Subflows) != 2 || c.Spaces[A].Bytes != 4000 {
		t.Fatal("the session shows too little")
	}
	subs, spaces := slices.Clone(c.Subflows), slices.Clone(c.Subflows[0].Spaces[:])
	c.clear()
	same := func(what string, fresh, got any) {
		t.Helper()
		all := cmp.Exporter(func(reflect.Type) bool { return true })
		if d := cmp.Diff(fresh, got, all, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-new +reused):\n%s", what, d)
		}
	}
	same("connection", new(Conn), c)
	for n := range 3 {
		sub := c.recycledSubflow()
		same("subflow", new(Subflow), sub)
		if n < 2 && sub != subs[n] {
			t.Errorf("subflow %d: other memory", n)
		}
		c.Subflows = append(c.Subflows, sub)
		for side := range c.Spaces {
			l := c.Spaces[side].NewSubflow(n)
			same("subflow space", &dss.SubflowSpace{ID: n}, l)
			if n == 0 && l != spaces[side] {
				t.Errorf("subflow space of side %d: other memory", side)
			}
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
	if len(table.pool.list) != maxPooled {
		t.Errorf("%d connections wait, want %d", len(table.pool.list), maxPooled)
	}
}
