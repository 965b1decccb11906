package conn

import (
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// warnings returns the counts of a table's warnings.
func warnings(t *Table) map[string]int64 {
	out := map[string]int64{}
	for _, w := range t.Warnings.List() {
		out[w.Code] = w.Count
	}
	return out
}

// tick moves the table's clock with a packet that concerns nobody.
func tick(t *Table, at int64) {
	t.Segment(&packet.Segment{Time: at, Flags: packet.RST})
}

// Nobody is told of a packet that is taken after the end of its connection.
func TestAfterTheEnd(t *testing.T) {
	s, f, at := opened(tracegen.Config{})
	f.Map(a2b, 0, 100).Send(at, 0, 100)
	f.FIN(a2b, at+20*ms)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	held := len(segs) - 2 // the data, and the FIN, which is an event
	table, m := feed(segs[:held])
	r := m.only(t)
	table.finish(r.c)
	before := len(r.log)
	for i := range segs[held:] {
		table.take(&r.c.Subflows[0].dirs[A], &segs[held+i])
	}
	if got := r.c.Spaces[A].Bytes; got != 100 || len(r.pieces) != 0 || len(r.log) != before || r.settled != [2]int64{} {
		t.Errorf("%d octets taken, want 100; told: pieces %q, events %q, settled %v", got, r.pieces, r.log[before:], r.settled)
	}
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script func(*tracegen.Session, *tracegen.Subflow, time.Duration)
		want   State
		log    []string
	}{
		{
			"DATA_FIN and FIN both ways", func(s *tracegen.Session, _ *tracegen.Subflow, at time.Duration) { s.Close(at, 0, 0) },
			Closed,
			[]string{"data_fin s0 #4", "data_fin s0 #5", "fin s0 #7", "fin s0 #8"},
		},
		{"DATA_FIN both ways, no FIN", func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) {
			f.DataFIN(a2b, at, 0)
			f.DataFIN(b2a, at+10*ms, 0)
			f.Ack(a2b, at+20*ms)
		}, Closed, []string{"data_fin s0 #4", "data_fin s0 #5"}},
		{"DATA_FIN on data, repeated", func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) {
			m := f.Map(a2b, 0, 100).WithFIN()
			m.Send(at, 0, 100)
			m.Send(at+5*ms, 0, 100)
			f.DataFIN(a2b, at+6*ms, 100)
			f.DataFIN(b2a, at+20*ms, 0)
			f.Ack(a2b, at+30*ms)
		}, Closed, []string{"data_fin s0 #4", "data_fin s0 #7"}},
		{"DATA_FIN one way", func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) {
			f.DataFIN(a2b, at, 0)
			f.Ack(b2a, at+10*ms)
		}, Open, []string{"data_fin s0 #4"}},
		{"FIN both ways, no DATA_FIN", func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) {
			f.FIN(a2b, at)
			f.FIN(b2a, at+10*ms)
			f.Ack(a2b, at+20*ms)
		}, Closed, []string{"fin s0 #4", "fin s0 #5"}},
		{"silence", func(_ *tracegen.Session, f *tracegen.Subflow, at time.Duration) { f.Data(a2b, at, 0, 10) }, Open, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f, at := opened(tracegen.Config{Version: 1})
			tt.script(s, f, at)
			r := analyse(t, s, tracegen.HostA).only(t)
			if r.c.State() != tt.want {
				t.Errorf("state %v, want %v", r.c.State(), tt.want)
			}
			if diff := cmp.Diff(tt.log, r.log); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// An ended connection leaves the table, and what still comes of it begins no
// other; much later it does.
func TestStragglers(t *testing.T) {
	s, _, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
	s.Close(at, 0, 0)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	table, r := feed(segs)
	last := segs[len(segs)-1]
	c := r.only(t)

	last.Time += linger - 1
	table.Segment(&last) // still its own
	if c.closed != 0 || len(warnings(table)) != 0 {
		t.Errorf("closed %d times, warnings %v", c.closed, warnings(table))
	}
	tick(table, last.Time+2*linger)
	if c.closed != 1 || len(table.flows) != 0 || len(table.tokens) != 0 || len(table.open) != 0 || table.live != 0 {
		t.Errorf("closed %d times; %d flows, %d tokens, %d connections left", c.closed, len(table.flows), len(table.tokens), len(table.open))
	}
	last.Time += 3 * linger
	table.Segment(&last)
	if len(r.conns) != 1 || warnings(table)["straggler"] != 1 {
		t.Errorf("%d connections, warnings %v", len(r.conns), warnings(table))
	}
	last.Time += quiet + 3*linger
	table.Segment(&last)
	if len(table.orphans)+len(r.conns) != 2 {
		t.Error("four minutes later the 4-tuple is another connection's")
	}
}

// A connection that lost its subflows may be joined again for a while; one that
// was closed may not.
func TestJoinAfterLastSubflow(t *testing.T) {
	for _, tt := range []struct {
		name string
		gap  time.Duration
		want int // connections
	}{{"soon", 30 * time.Second, 1}, {"too late", 90 * time.Second, 2}} {
		s, f, at := opened(tracegen.Config{Version: 1})
		f.RST(a2b, at)
		g, end := joined(s, 1, at+tt.gap)
		g.Data(a2b, end, 0, 100)
		table, r := feed(nil)
		segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
		for i := range segs {
			tick(table, segs[i].Time)
			table.Segment(&segs[i])
		}
		table.Finish()
		if len(r.conns) != tt.want || r.conns[tt.want-1].bytes()[A] != 100 {
			t.Errorf("%s: %d connections, want %d", tt.name, len(r.conns), tt.want)
		}
	}
}

// A connection closed at the data level does not wait for ever for subflows
// that fell silent.
func TestSilentSubflowOfClosedConnection(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	_, at = joined(s, 1, at)
	f.DataFIN(a2b, at, 0)
	f.DataFIN(b2a, at+10*ms, 0)
	f.Ack(a2b, at+20*ms)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	table, r := feed(segs)
	end := segs[len(segs)-1].Time
	tick(table, end+regrow)
	if r.only(t).closed != 0 {
		t.Error("closed before its time")
	}
	tick(table, end+regrow+sweepEvery+1)
	if r.only(t).closed != 1 {
		t.Error("not closed")
	}
}

// An idle connection that nobody closed stays.
func TestIdleConnectionStays(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Data(a2b, at, 0, 100)
	f.Ack(b2a, at+10*ms)
	f.Data(a2b, at+3*time.Hour, 100, 100)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	table, r := feed(segs[:len(segs)-1])
	for i := range int64(100) {
		tick(table, segs[0].Time+i*60e9)
	}
	table.Segment(&segs[len(segs)-1])
	table.Finish()
	if c := r.only(t); c.bytes()[A] != 200 || c.closed != 1 {
		t.Errorf("octets %v", c.bytes())
	}
}

// syn is a SYN of the n-th flow.
func syn(n int, at int64) packet.Segment {
	s := packet.Segment{Num: uint64(n), Time: at, Flags: packet.SYN, Seq: 1}
	s.Src.Port, s.Dst.Port = uint16(n), 80
	s.Src.Addr[0], s.Src.Addr[1] = byte(n>>16), byte(n>>24)
	return s
}

// withOption adds an MPTCP option to a segment.
func withOption(s packet.Segment, o tracegen.Option) packet.Segment {
	b := o.Append(nil)
	s.RareLen = uint8(copy(s.Rare[:], b))
	return s
}

// A flood of SYNs, with or without options, keeps the table bounded; each is
// reported once.
func TestFloods(t *testing.T) {
	for name, make := range map[string]func(i int) packet.Segment{
		"SYN": func(i int) packet.Segment { return syn(i, int64(i)) },
		"MP_CAPABLE": func(i int) packet.Segment {
			return withOption(syn(i, int64(i)), &mptcp.Capable{Have: mptcp.CapableHasSenderKey, SenderKey: uint64(i)})
		},
		"MP_JOIN of unknown tokens": func(i int) packet.Segment {
			return withOption(syn(i, int64(i)), &mptcp.Join{Form: mptcp.JoinSYN, Token: uint32(i)})
		},
		"one MP_JOIN of one token": func(i int) packet.Segment {
			return withOption(syn(i, int64(i)), &mptcp.Join{Form: mptcp.JoinSYN, Token: 7})
		},
		"SYN/ACK": func(i int) packet.Segment {
			s := syn(i, int64(i))
			s.Flags |= packet.ACK
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			closed := 0
			subflows := 0
			table := NewTable(Options{}, counter{&closed, &subflows})
			const n = 3 * maxOpen
			for i := range n {
				s := make(i + 1)
				table.Segment(&s)
				if bound := 2*maxOpen + maxFinished; len(table.open) > bound || len(table.flows) > 2*bound || len(table.tokens) > bound || len(table.halfs) > maxHalfOpen {
					t.Fatalf("after %d: %d connections, %d flows, %d tokens, %d half-open", i, len(table.open), len(table.flows), len(table.tokens), len(table.halfs))
				}
				if n := len(table.open); n > 0 && len(table.open[n-1].Subflows) > maxSubflows {
					t.Fatalf("%d subflows", len(table.open[n-1].Subflows))
				}
			}
			table.Finish()
			if subflows != n || len(table.flows) != 0 || len(table.tokens) != 0 {
				t.Errorf("%d subflows of %d reported; %d flows, %d tokens left", subflows, n, len(table.flows), len(table.tokens))
			}
			if table.live != 0 || closed == 0 {
				t.Errorf("%d connections live after the end, %d closed", table.live, closed)
			}
		})
	}
}

// counter counts connections and subflows when they are closed.
type counter struct{ closed, subflows *int }

func (k counter) Open(c *Conn) Observer { return &counting{counter: k, c: c} }

type counting struct {
	Nop
	counter
	c *Conn
}

func (k *counting) Close(int64) {
	*k.closed++
	*k.subflows += len(k.c.Subflows)
}

// At the bound of open connections plain ones go first, of these those idle
// longest, and their packets are no stragglers.
func TestEviction(t *testing.T) {
	table := NewTable(Options{})
	data := func(i int, at int64) packet.Segment {
		s := syn(i, at)
		s.Flags, s.PayloadLen = packet.ACK, 10
		return s
	}
	multipath := withOption(data(0, 0), &mptcp.Capable{Have: mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey})
	table.Segment(&multipath)
	for i := 1; i < maxOpen; i++ {
		s := data(i, int64(i))
		table.Segment(&s)
	}
	busy := data(1, maxOpen) // the oldest plain one is not the idlest
	table.Segment(&busy)
	extra := data(maxOpen, maxOpen+1)
	table.Segment(&extra)
	if want := maxOpen - maxOpen/4 + 1; table.live != want || len(table.open) != want || warnings(table)["evicted"] != 1 {
		t.Errorf("%d live, %d open, want %d; %v", table.live, len(table.open), want, warnings(table))
	}
	known := func(s packet.Segment) bool {
		_, ok := table.flows[key{s.Src, s.Dst}]
		return ok
	}
	idle := data(2, maxOpen+2)
	if !known(multipath) || !known(busy) || known(idle) {
		t.Errorf("kept: Multipath TCP %v, a busy one %v, an idle one %v", known(multipath), known(busy), known(idle))
	}
	table.Segment(&idle)
	if !known(idle) || warnings(table)["straggler"] != 0 {
		t.Errorf("a packet of an evicted connection was left out: %v", warnings(table))
	}
}

// The ring of retired 4-tuples forgets the oldest, but not one that ended
// again since.
func TestRetired(t *testing.T) {
	var r retired
	k := func(i int) key {
		s := syn(i, 0)
		return key{s.Src, s.Dst}
	}
	r.add(k(0), 0)
	r.add(k(0), 5)
	for i := 1; i < maxRetired; i++ {
		r.add(k(i), int64(i+5))
	}
	if !r.has(k(0), 10) || r.has(k(0), quiet+5) || !r.has(k(1), 10) || r.has(k(maxRetired), 10) {
		t.Error("wrong memory before the ring turns over")
	}
	r.add(k(maxRetired), 100)
	if r.has(k(0), 100) || !r.has(k(1), 100) || len(r.when) != maxRetired || len(r.list) != maxRetired {
		t.Errorf("%d keys, %d tombstones", len(r.when), len(r.list))
	}
}

// Short connections, one after the other for hours, leave nothing behind.
func TestMemoryOfShortConnections(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
	f.Data(a2b, at, 0, 500)
	s.Close(at+100*ms, 500, 0)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	table := NewTable(Options{})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round := 0
	run := func(n int) {
		for range n {
			round++
			for i := range segs {
				x := segs[i]
				x.Num, x.Time = uint64(round), x.Time+int64(round)*int64(time.Second)
				x.Keep(nil)
				client := &x.Src
				if client.Port == 80 {
					client = &x.Dst
				}
				client.Addr[0], client.Addr[1] = byte(round), byte(round>>8)
				table.Segment(&x)
			}
		}
	}
	run(maxRetired) // fills the ring of retired 4-tuples
	before := heap()
	run(maxRetired / 2)
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d octets over %d connections", before, after, maxRetired/2)
	}
	if table.live > 20 {
		t.Errorf("%d connections live", table.live)
	}
}
