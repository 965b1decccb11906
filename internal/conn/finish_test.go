package conn

import (
	"maps"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
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

// tick moves the table's clock with a packet that belongs to no connection.
func tick(t *Table, at int64) {
	t.Segment(&packet.Segment{Time: at, Flags: packet.RST})
}

// Observers do not get packets that come after the end of their connection.
func TestAfterTheEnd(t *testing.T) {
	s, f, at := opened(tracegen.Config{})
	f.Map(a2b, 0, 100).Send(at, 0, 100)
	f.FIN(a2b, at+20*ms)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	held := len(segs) - 2 // the packets before the data and the FIN, which is an event
	table, m := feed(segs[:held])
	r := m.only(t)
	table.finish(r.c)
	before := len(r.log)
	for i := range segs[held:] {
		table.process(&r.c.Subflows[0].dirs[A], &segs[held+i])
	}
	if got := r.c.Spaces[A].Bytes; got != 100 || len(r.pieces) != 0 || len(r.log) != before || r.settled != [2]int64{} {
		t.Errorf("%d bytes taken, want 100; told: pieces %q, events %q, settled %v", got, r.pieces, r.log[before:], r.settled)
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
			assert.Check(t, is.DeepEqual(r.log, tt.log), "events")
		})
	}
}

// An ended connection leaves the table. Its late packets begin no other connection; much
// later packets do.
func TestStragglers(t *testing.T) {
	s, _, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
	s.Close(at, 0, 0)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	table, r := feed(segs)
	last := segs[len(segs)-1]
	c := r.only(t)

	last.Time += stragglerWait - 1
	table.Segment(&last) // still its own packet
	if c.closed != 0 || len(warnings(table)) != 0 {
		t.Errorf("closed %d times, warnings %v", c.closed, warnings(table))
	}
	tick(table, last.Time+2*stragglerWait)
	if c.closed != 1 || len(table.flows) != 0 || len(table.tokens) != 0 || table.open.n != 0 {
		t.Errorf("closed %d times; %d flows, %d tokens, %d connections left", c.closed, len(table.flows), len(table.tokens), table.open.n)
	}
	last.Time += 3 * stragglerWait
	table.Segment(&last)
	stray := last
	stray.Src.Port, stray.Flags, stray.File = 9, packet.RST, 1
	table.Segment(&stray)                                                                                      // of a connection of which the capture has nothing else
	if len(r.conns) != 1 || warnings(table)["straggler"] != 1 || !slices.Equal(table.LeftOut, []int64{2, 1}) { // the packet of tick is one, too
		t.Errorf("%d connections, warnings %v, left out %v", len(r.conns), warnings(table), table.LeftOut)
	}
	last.Time += twoMSL + 3*stragglerWait
	table.Segment(&last)
	assert.Check(t, len(table.pendingFlows)+len(r.conns) == 2, "four minutes later the 4-tuple is another connection's")
}

// What a host sent before it learned of a RST comes after the SYN of another connection that
// uses the same ports. It counts for neither. A packet that may follow the SYN counts.
func TestStragglersAfterPortReuse(t *testing.T) {
	n := tracegen.NewNetwork(time.Time{})
	older, newer := n.Session(tracegen.Config{Version: 1}), n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{77, 88}})
	f := older.Subflow(path(0))
	opening := f.Open(0)
	at := opening.Established()
	f.Data(b2a, at, 0, 1000)
	f.RST(a2b, at+20*ms)
	f.Data(b2a, at+21*ms, 1000, 1000)
	f.Fastclose(b2a, at+22*ms) // arrives at A after the SYN that A sends at +25 ms
	f.RST(a2b, at+27*ms).Edit(func(p *tracegen.Packet) { p.Flags &^= tracegen.ACK })

	again := path(0)
	again.ISN = [2]seq.Wire{again.ISN[a2b] + 300000, again.ISN[b2a] + 300000}
	g := newer.Subflow(again)
	opening = g.Open(at + 25*ms)
	end := opening.Established()
	g.Data(a2b, end, 0, 700)
	g.Data(b2a, end+20*ms, 0, 500)
	newer.Close(end+60*ms, 700, 500)

	table, r := feed(segments(t, n.Packets(tracegen.HostA), tracegen.LinkRaw))
	table.Finish()
	assert.Assert(t, len(r.conns) == 2, "%d connections, want 2", len(r.conns))
	if got := [2][2]int64{r.conns[0].bytes(), r.conns[1].bytes()}; got != [2][2]int64{{0, 1000}, {700, 500}} {
		t.Errorf("bytes are %v", got)
	}
	if got := r.conns[1].has(EventFastclose, EventReset); len(got) != 0 {
		t.Errorf("the newer connection has %v", got)
	}
	if got := warnings(table)["straggler"]; got != 3 {
		t.Errorf("%d stragglers, want 3", got)
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
		assert.Check(t, len(r.conns) == tt.want && r.conns[tt.want-1].bytes()[A] == 100, "%s: %d connections, want %d", tt.name, len(r.conns), tt.want)
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
	s.OtherLen = uint8(copy(s.Other[:], b))
	return s
}

// At the bound of open connections plain ones are closed first, and of these the one that
// is idle longest. Later packets of closed connections are left out.
func TestEviction(t *testing.T) {
	table := NewTable(Options{})
	send := func(i int, at int64, options ...tracegen.Option) {
		s := syn(i, at)
		for _, o := range options {
			s = withOption(s, o)
		}
		s.Flags, s.PayloadLen = packet.ACK, 10
		table.Segment(&s)
		s.Src, s.Dst, s.PayloadLen, s.OtherLen = s.Dst, s.Src, 0, 0
		table.Segment(&s) // so that it is not half-open
	}
	known := func(i int) bool {
		s := syn(i, 0)
		return table.flows.direction(key{s.Src, s.Dst}) != nil
	}
	send(0, 0, &mptcp.Capable{Have: mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey})
	for i := 1; i < maxOpen; i++ {
		send(i, int64(i))
	}
	send(1, maxOpen) // the oldest plain one is not the idlest
	send(maxOpen, maxOpen+1)
	if table.open.n != maxOpen || warnings(table)["evicted"] != 1 || !known(0) || !known(1) || known(2) || !known(3) {
		t.Errorf("%d open; kept: Multipath TCP %v, a busy one %v, an idle one %v, the next %v; %v",
			table.open.n, known(0), known(1), known(2), known(3), warnings(table))
	}
	send(2, maxOpen+2)
	send(2, maxOpen+3+twoMSL)
	if known(2) || !maps.Equal(warnings(table), map[string]int64{"evicted": 1, "closed_early": 4}) {
		t.Errorf("packets of an evicted connection were taken: %v", warnings(table))
	}
	send(3, maxOpen+4+twoMSL) // one that was to be the next
	send(maxOpen+1, maxOpen+5+twoMSL)
	if !known(3) || known(4) || warnings(table)["evicted"] != 2 {
		t.Errorf("kept: one that was idle until lately %v, one that is %v", known(3), known(4))
	}
	again := syn(2, maxOpen+6+twoMSL)
	table.Segment(&again)
	assert.Check(t, known(2), "a SYN does not begin another connection on the 4-tuple of an evicted one")
}

// The ring of retired 4-tuples forgets the oldest, except one that ended again since.
func TestTimeWait(t *testing.T) {
	var r timeWait
	k := func(i int) key {
		s := syn(i, 0)
		return key{s.Src, s.Dst}
	}
	r.add(k(0), 0, false, 0)
	r.add(k(0).reverse(), 5, false, 0)
	for i := 1; i < maxTimeWait; i++ {
		r.add(k(i), int64(i+5), i == 2, 0)
	}
	has := func(k key, now int64) bool {
		_, ok := r.has(k, now)
		return ok
	}
	assert.Check(t, has(k(0), 10) && !has(k(0), twoMSL+5) && has(k(1).reverse(), 10) && !has(k(maxTimeWait), 10), "wrong memory before the ring turns over")
	if early, ok := r.has(k(2), 2*twoMSL); !early || !ok {
		t.Error("one that was closed early is forgotten")
	}
	r.add(k(maxTimeWait), 100, false, 0)
	if has(k(0), 100) || !has(k(1), 100) || len(r.known) != maxTimeWait || len(r.list) != maxTimeWait {
		t.Errorf("%d keys, %d in the list", len(r.known), len(r.list))
	}
}
