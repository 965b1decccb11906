package conn

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// The packets of a connection that were processed early, before another subflow joins it, and
// those after that are two entries of one connection. Only one goroutine may process it.
func TestTogetherAfterJoin(t *testing.T) {
	g := grouping{slots: make([]slot, 2)}
	for i := range g.slots {
		g.slots[i] = slot{first: -1, last: -1, next: -1}
	}
	g.enqueue(&packet.Segment{}, nil, 0)
	g.slots[0].first, g.slots[0].last, g.slots[0].next = -1, -1, -1 // as processQueuedOf does
	g.enqueue(&packet.Segment{}, nil, 1)
	g.enqueue(&packet.Segment{}, nil, 0)
	var live []int32
	for _, e := range g.active {
		if g.isLive(e) {
			live = append(live, e.slot)
		}
	}
	if want := []int32{1, 0}; !slices.Equal(live, want) {
		t.Errorf("connections %v are to be processed, want %v", live, want)
	}
}

// TestMayBeQueued: each condition on which a packet waits for others of its connection.
func TestMayBeQueued(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *slot, s *packet.Segment)
		want   bool
	}{
		"nothing":      {func(*slot, *packet.Segment) {}, true},
		"not steady":   {func(p *slot, _ *packet.Segment) { p.steady = false }, false},
		"SYN":          {func(_ *slot, s *packet.Segment) { s.Flags |= packet.SYN }, false},
		"FIN":          {func(_ *slot, s *packet.Segment) { s.Flags |= packet.FIN }, false},
		"RST":          {func(_ *slot, s *packet.Segment) { s.Flags |= packet.RST }, false},
		"an option":    {func(_ *slot, s *packet.Segment) { s.OtherLen = 4 }, false},
		"the clock":    {func(_ *slot, s *packet.Segment) { s.Have |= packet.ClockChanged }, false},
		"a bad list":   {func(_ *slot, s *packet.Segment) { s.Have |= packet.OptionsMalformed }, false},
		"a bad option": {func(_ *slot, s *packet.Segment) { s.Have |= packet.BadMPTCP }, false},
		"cut options":  {func(_ *slot, s *packet.Segment) { s.Have |= packet.OptionsCut }, true},
		"TCP":          {func(p *slot, s *packet.Segment) { p.multipath, s.Have = false, 0 }, true},
		"TCP with DSS": {func(p *slot, _ *packet.Segment) { p.multipath = false }, false},
		"TCP, cut":     {func(p *slot, s *packet.Segment) { p.multipath, s.Have = false, packet.OptionsCut }, false},
	} {
		table := NewTable(Options{})
		table.grouping.slots = []slot{{}, {steady: true, multipath: true}}
		s := packet.Segment{Flags: packet.ACK, Have: packet.HasDSS}
		if c.change(&table.grouping.slots[1], &s); table.mayBeQueued(&s, 1) != c.want {
			t.Errorf("%s: queued %v", name, !c.want)
		}
	}
}

// TestSteady: a connection is steady unless an ACK may change in which list it is.
func TestSteady(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Conn)
		want   slot
	}{
		"open":      {func(*Conn) {}, slot{steady: true, multipath: true}},
		"plain":     {func(k *Conn) { k.Kind = Requested }, slot{steady: true}},
		"ended":     {func(k *Conn) { k.live = 0 }, slot{multipath: true}},
		"closing":   {func(k *Conn) { k.closing = 1 }, slot{multipath: true}},
		"half-open": {func(k *Conn) { k.links[listHalfOpen].in = true }, slot{multipath: true}},
	} {
		table := NewTable(Options{})
		table.grouping.slots = make([]slot, 1)
		k := &Conn{Kind: Multipath, live: 1}
		c.change(k)
		if table.updateSlot(k); table.grouping.slots[0] != c.want {
			t.Errorf("%s: %+v, want %+v", name, table.grouping.slots[0], c.want)
		}
	}
}

// TestGroupingPays: grouping pays with several connections, if as a running mean fewer than a sixteenth
// of them begin between two batches.
func TestGroupingPays(t *testing.T) {
	for _, c := range []struct {
		goroutines, open, begin int
		want                    bool
	}{
		{1, 15, 0, false},
		{1, 16, 0, true},
		{2, 1, 0, false},
		{2, 2, 0, true},
		{1, 33, 2, true},
		{1, 32, 2, false},
	} {
		table := NewTable(Options{Goroutines: c.goroutines})
		table.open.n = c.open
		for range 100 {
			table.nextOrder += c.begin
			table.BeginBatch()
		}
		if got := table.GroupingPays(); got != c.want {
			t.Errorf("%+v: pays %v", c, got)
		}
	}
}

// diary is a module that records the calls of each connection, in the order of their
// creation.
type diary struct {
	all      [][]string
	ends     []int    // [Conn.Order] of connections, in the order of their ends
	rest     []string // what became no connection
	chunks   bool     // it asks for chunks, too
	warnings []Warning
	shared   atomic.Bool // another goroutine than the first processed a packet
	back     bool        // it returns connections to the table
	ended    map[*Conn]bool
	again    int // connections in the memory of others that have ended
}

// options make a table report to the diary what becomes no connection.
func (d *diary) options() Options {
	return Options{
		LoneSYN:  func(l *LoneSYN) { d.rest = append(d.rest, fmt.Sprint(*l)) },
		OneSided: func(f *OneSided) { d.rest = append(d.rest, fmt.Sprint(*f)) },
	}
}

func (d *diary) Open(c *Conn) Observer {
	d.all = append(d.all, nil)
	if d.ended[c] {
		d.again++
	}
	x := &diarist{d: d, c: c, at: len(d.all) - 1}
	if d.chunks {
		return chunkDiarist{x}
	}
	return x
}

type diarist struct {
	d  *diary
	c  *Conn
	at int
}

func (x *diarist) note(format string, args ...any) {
	x.d.all[x.at] = append(x.d.all[x.at], fmt.Sprintf(format, args...))
}

func (x *diarist) Subflow(s *Subflow) { x.note("subflow %d of %d, %v", s.ID, x.c.Order, s.Ends) }
func (x *diarist) Event(e *Event)     { x.note("#%d %s: %s", e.Packet, e.Kind, e.Detail) }
func (x *diarist) Close(at int64) {
	x.d.ends = append(x.d.ends, x.c.Order)
	x.note("closed at %d, number %d, %v, %v, %q", at, x.c.ID, x.c.Kind, x.c.State(), x.c.Fallback)
	for _, s := range x.c.Subflows {
		x.note("%+v %+v %v %d %d %d", s.Senders[A].Counters, s.Senders[B].Counters, s.HMAC, s.Spaces[A].MappedBytes(), s.Spaces[B].MappedBytes(), s.Spaces[A].UnmappedBytes)
	}
	if x.d.ended == nil {
		x.d.ended = map[*Conn]bool{}
	}
	if x.d.ended[x.c] = true; x.d.back {
		x.c.Recycle(nil)
	}
}

func (x *diarist) Packet(p *Packet) {
	if p.Goroutine > 0 {
		x.d.shared.Store(true)
	}
	runtime.Gosched() // so that other goroutines get connections on one processor, too
	acked := p.DataAck
	if !p.HasDataAck {
		acked = -1
	}
	x.note("#%d by %d on %d: %v %v %v %d %v %v %v", p.Seg.Num, p.From, p.Sub.ID, p.FastPath, p.TCP.Sent.Range, p.Pieces, acked, p.DataAckAdvanced, p.NewAck, p.TCP.Ack.NewlyAcked)
}

// crowd returns the packets of n connections that are open at once. They begin and end at
// any time, join, lose segments, and reuse 4-tuples. Some lack the handshake, some all
// options, and some get a reset.
func crowd(t *testing.T, n int, seed uint64) []packet.Segment {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var packets []tracegen.Packet
	net := tracegen.NewNetwork(time.Time{})
	faults, seen := map[uint16]int{}, map[uint16]int{}
	net.Watch(tracegen.HostA, func(p *tracegen.Packet) {
		port := min(p.Src.Port(), p.Dst.Port()) // of the client
		seen[port]++
		q := *p
		switch fault := faults[port]; {
		case fault == 1 && p.Flags&tracegen.SYN != 0:
			return // its handshake is not captured
		case fault == 2:
			q.Options = nil
		case fault == 4 && seen[port] == 2:
			return // nor is its SYN/ACK
		case fault == 5 && seen[port] < 6:
			q.Options = nil
		case fault == 6 && len(q.Options) <= 36 && r.IntN(4) == 0:
			q.Options = append(q.Options[:len(q.Options):len(q.Options)], 30, 4, 0xe0, 0)
		case fault == 3 && r.IntN(20) == 0:
			q.Flags = tracegen.RST
			q.Options = nil
		}
		packets = append(packets, q)
	})
	for i := range n {
		port := uint16(1000 + i%(n-10)) // ten are used again
		faults[port] = r.IntN(12)
		at := time.Duration(i) * 3 * time.Millisecond
		if i >= n-10 {
			at += 2 * time.Second
		}
		net.At(at, func() { playSession(net, r, port) })
	}
	net.Run()
	return segments(t, packets, tracegen.LinkRaw)
}

// playSession plays a connection of one or two subflows, which sends some segments now and
// then.
func playSession(net *tracegen.Network, r *rand.Rand, port uint16) {
	s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}, HeaderOnly: 0, AckEvery: 1 + r.IntN(2)})
	var subflows []*tracegen.Subflow
	at := net.Now()
	open := func() {
		i := len(subflows)
		delay := time.Duration(1+r.IntN(20)) * time.Millisecond
		f := s.Subflow(tracegen.Path{
			A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + i)}), port),
			B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 5001),
			ISN:   [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())},
			Nonce: [2]uint32{r.Uint32(), r.Uint32()},
			ID:    [2]uint8{uint8(i), 0},
			Delay: [2]time.Duration{delay, delay},
		})
		h := f.Open(at)
		at = h.Established() + time.Millisecond
		subflows = append(subflows, f)
	}
	for range 1 + r.IntN(2) {
		open()
	}
	offset := int64(0)
	for i := range 10 + r.IntN(60) {
		if i == 8 && r.IntN(3) == 0 { // a join in the middle of the data
			open()
		}
		n := 100 + r.IntN(1300)
		x := subflows[r.IntN(len(subflows))].Data(tracegen.A2B, at, offset, n)
		if r.IntN(30) == 0 {
			x.Lose().Again(x.SentAt() + 60*time.Millisecond)
		}
		offset += int64(n)
		at += time.Duration(r.IntN(12)) * time.Millisecond
		if r.IntN(400) == 0 {
			at += time.Duration(r.IntN(90)) * time.Second
		}
	}
	switch r.IntN(6) {
	case 0:
	case 1: // it loses its subflows, and mostly another one joins later
		for _, f := range subflows {
			f.RST(tracegen.B2A, at+time.Duration(r.IntN(300))*time.Millisecond)
		}
		if at += time.Duration(r.IntN(8000)) * time.Millisecond; r.IntN(4) > 0 {
			open()
			subflows[len(subflows)-1].Data(tracegen.A2B, at, offset, 500)
		}
	default:
		s.Close(at+200*time.Millisecond, offset, 0)
		late := at + 300*time.Millisecond + time.Duration(r.IntN(2000))*time.Millisecond
		net.At(late, func() { subflows[0].Data(tracegen.A2B, late, 0, 100) }) // which was sent before
	}
}
