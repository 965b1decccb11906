package metrics

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// rider counts the packets of A that a train took, and of these the late ones.
type rider struct {
	*Connection
	apart       bool // no packet finds a train
	taken, late *int
}

func (r rider) Packet(p *conn.Packet) {
	d := r.Dir(conn.A)
	if r.apart {
		r.uncouple()
	}
	waited := d.train.more
	r.Connection.Packet(p)
	if d.train.more > waited {
		*r.taken++
		if d.Order.filling {
			*r.late++
		}
	}
}

// riders is a collector of them.
type riders struct {
	*Collector
	apart       bool
	taken, late int
}

func (k *riders) Open(c *conn.Conn) conn.Observer {
	return rider{k.Collector.Open(c).(*Connection), k.apart, &k.taken, &k.late}
}

// ride measures what a view saw of a session, and counts the packets that a
// train took; with apart there are no trains.
func ride(t *testing.T, s *tracegen.Session, v tracegen.View, cfg Config, apart bool) (m *measured, taken, late int) {
	t.Helper()
	m = &measured{}
	m.gather(&cfg)
	k := &riders{Collector: NewCollector(cfg, func(got *Connection) { m.Connection = got }), apart: apart}
	play(t, s, v, k)
	return m, k.taken, k.late
}

// traffic is a session over two paths of which both take turns at random:
// runs of equal segments with short ones between, parts of the data that come
// late, copies on either path, pauses, and windows of any size.
func traffic(seed uint64) *tracegen.Session {
	r := rand.New(rand.NewPCG(seed, 7))
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	paths := [2]*tracegen.Subflow{fast, slow}
	at, next := 1000*msec, int64(0)
	var gaps []int64
	for range 80 {
		f := paths[r.IntN(2)]
		size := 100 * (1 + r.IntN(3))
		count := 1 + r.IntN(12)
		from := next
		switch kind := r.IntN(6); {
		case kind == 0: // leave a gap
			gaps = append(gaps, next)
			from = next + 1200
		case kind == 1 && len(gaps) > 0: // fill one, or a part of it
			from, size, count = gaps[0], 100, 1+r.IntN(12)
			gaps = gaps[1:]
		case kind == 2 && next > 0: // a copy
			from, count = max(0, next-int64(size*(1+r.IntN(4)))), 1
		}
		for range count {
			at += time.Duration(r.IntN(4)) * msec
			x := f.Data(tracegen.A2B, at, from, size)
			if r.IntN(20) == 0 {
				x.Again(at + 40*msec)
			}
			from += int64(size)
		}
		next = max(next, from)
		if r.IntN(3) == 0 {
			offer(f.Ack(tracegen.B2A, at+time.Duration(r.IntN(30))*msec), []int{0, 512, 70 << 10, 100 << 10}[r.IntN(4)])
		}
		if r.IntN(10) == 0 {
			at += time.Duration(r.IntN(400)) * msec
		}
	}
	return s
}

// TestTrains holds what trains enter at once against what their packets say
// one by one, at the sender and at the receiver, of all the time and of a part.
func TestTrains(t *testing.T) {
	all, allLate := 0, 0
	for seed := range uint64(12) {
		for _, cfg := range []Config{
			{Interval: 100 * msec},
			{Skip: 150 * msec, Until: 700 * msec},
		} {
			for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
				quick, taken, late := ride(t, traffic(seed), v, cfg, false)
				plain, none, _ := ride(t, traffic(seed), v, cfg, true)
				if none != 0 {
					t.Fatalf("seed %d: trains took %d packets where there are none", seed, none)
				}
				all, allLate = all+taken, allLate+late
				if d := cmp.Diff(entered(plain.Connection), entered(quick.Connection), unlike); d != "" {
					t.Fatalf("seed %d, %v, %+v:\n%s", seed, v, cfg, d)
				}
				if d := cmp.Diff(plain.byLine(), quick.byLine(), cmp.AllowUnexported(line{})); d != "" {
					t.Fatalf("series of seed %d, %v, %+v:\n%s", seed, v, cfg, d)
				}
			}
		}
	}
	if all < 4000 || allLate < 300 {
		t.Errorf("trains took %d packets, %d of them late", all, allLate)
	}
}

// unlike is what may differ: who came on last is told by a pointer, and where
// the edge stood is forgotten when no hole is left.
var unlike = cmp.Options{
	cmp.AllowUnexported(Trace{}, openings{}, Course{}, Handover{}), cmpopts.IgnoreFields(Trace{}, "leader", "edge"),
}

// entered is what packets with payload of A said.
func entered(m *Connection) map[string]any {
	d := m.Dir(conn.A)
	o := &d.Order
	out := map[string]any{
		"signs": m.Trace(conn.A), "window": d.Window.Limited,
		"chunks": []int64{o.Chunks, o.Firsts, o.Reordered, o.Discontinuous}, "peak": o.Peak, "n-reordered": o.NReordered(),
	}
	add := func(name string, x *stats.Dist) { out[name] = x.Describe() }
	rate := func(name string, r *Rate) {
		add(name, &r.Cells)
		out[name+" octets"] = []int64{r.Bytes(), r.first, r.last, r.open, r.openAt}
	}
	add("offset", &o.Offset)
	add("extent", &o.ExtentChunks)
	add("extent ms", &o.ExtentMS)
	add("extent octets", &o.ExtentBytes)
	rate("throughput", &d.Throughput)
	rate("goodput", &d.Goodput)
	for _, s := range m.Subs {
		b := s.Dir(conn.A)
		name := fmt.Sprintf("subflow %d", s.Sub.ID)
		rate(name, &b.Rate)
		out[name+" course"] = *b.course
		add(name+" bursts", &b.Bursts.Bytes)
		add(name+" durations", &b.Bursts.Duration)
	}
	return out
}

// TestTrainEnds: a train takes the packets that go on in one cell, and nothing
// else: not another size, another path, the next cell, or what was sent before.
func TestTrainEnds(t *testing.T) {
	for name, play := range map[string]func(fast, slow *tracegen.Subflow){
		"another size": func(fast, _ *tracegen.Subflow) { fast.Data(tracegen.A2B, 1003*msec, 3000, 900) },
		"another path": func(_, slow *tracegen.Subflow) { slow.Data(tracegen.A2B, 1003*msec, 3000, 1000) },
		"another cell": func(fast, _ *tracegen.Subflow) { fast.Data(tracegen.A2B, 1100*msec, 3000, 1000) },
		"a gap":        func(fast, _ *tracegen.Subflow) { fast.Data(tracegen.A2B, 1003*msec, 4000, 1000) },
		"all is acknowledged": func(fast, _ *tracegen.Subflow) {
			fast.Ack(tracegen.B2A, 1040*msec)
			fast.Data(tracegen.A2B, 1090*msec, 3000, 1000)
		},
		"a copy": func(_, slow *tracegen.Subflow) { slow.Data(tracegen.A2B, 1003*msec, 2000, 1000) },
	} {
		s, fast, slow := twoPaths(tracegen.Config{Version: 1})
		for i := range 3 {
			fast.Data(tracegen.A2B, time.Duration(1000+i)*msec, int64(1000*i), 1000)
		}
		play(fast, slow)
		if _, taken, _ := ride(t, s, tracegen.HostA, Config{Interval: 100 * msec}, false); taken != 2 {
			t.Errorf("%s: trains took %d packets, want 2", name, taken)
		}
	}
}
