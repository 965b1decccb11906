package conn

import (
	"sync"
	"sync/atomic"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/packet"
)

// The packets of a longer part of the capture can be processed connection by connection.
// Connections share only the table. The result is the same for two reasons. A packet waits only
// if it changes nothing except its connection: see [Table.mayBeQueued]. And whatever looks at a
// connection, or ends it, processes its waiting packets first: [Table.processQueuedOf], and
// [Table.processQueued] where that is about all connections. This has two uses:
//   - Packets of different connections are processed at the same time.
//   - If many connections are active at once, the state of a connection has left the
//     processor's caches when its next packet comes. Loading it costs more than processing
//     the packet. Here it is loaded once for several packets.

const (
	// minGrouped is the least number of open connections for which this pays on one goroutine:
	// the state of fewer stays in the caches.
	minGrouped = 16
	// minEach is the least mean number of queued packets of a connection for which several
	// goroutines pay: the state of a connection has to come from another processor's cache.
	minEach = 4
)

// grouping holds the queued packets, by connection.
type grouping struct {
	slots         []slot       // by [Conn.slot]; bounded by maxOpen: as many as connections were ever open at once
	free          []int32      // slots that no open connection has; bounded by maxOpen
	queue         []queued     // queued packets in the order of the capture; bounded by the packets given to SegmentsByConn
	active        []queueEntry // of the connections with queued packets, in the order of their first packets; bounded by queue
	startedBefore int          // connections that had begun at the previous call of BeginBatch
	startRate     int          // 64 times the running mean of connections that begin between two calls
}

// slot is the part of an open connection's state that is read without loading the
// connection.
type slot struct {
	first, last int32 // its queued packets, as indices of grouping.queue; -1 for none
	next        int32 // the first of them that is not processed yet; -1 for none
	steady      bool  // see updateSlot
	multipath   bool  // the connection is known to be Multipath TCP
}

// updateSlot stores what decides whether further packets of c may be queued. Only packets that
// are not queued change it. A connection that is half-open, whose last subflow has ended, or that
// has a subflow with a FIN of each end is not steady: an ACK may change in which list it is.
func (t *Table) updateSlot(c *Conn) {
	p := &t.grouping.slots[c.slot]
	p.steady, p.multipath = c.live > 0 && c.closing == 0 && !c.links[listHalfOpen].in, c.Kind == Multipath
}

// queueEntry says that the connection with a slot has queued packets. That is no longer so if the
// slot has another first packet: the connection's packets were processed early, and it or the next
// connection in the slot has packets again, with an entry of their own.
type queueEntry struct{ slot, first int32 }

// isLive reports whether what an entry says is still so.
func (g *grouping) isLive(e queueEntry) bool { return g.slots[e.slot].first == e.first }

// queued is a queued packet.
type queued struct {
	seg  *packet.Segment
	dir  *SubflowDir
	next int32 // index of the connection's next one; -1 for none
}

// newSlot returns a slot for a connection.
func (g *grouping) newSlot() (at int32) {
	if n := len(g.free); n > 0 {
		at, g.free = g.free[n-1], g.free[:n-1]
	} else {
		at, g.slots = int32(len(g.slots)), append(g.slots, slot{})
	}
	g.slots[at] = slot{first: -1, last: -1, next: -1}
	return at
}

// freeSlot frees a slot. Its connection has no queued packets.
func (g *grouping) freeSlot(at int32) { g.free = append(g.free, at) }

// enqueue queues a packet of the connection with slot at.
func (g *grouping) enqueue(s *packet.Segment, d *SubflowDir, at int32) {
	n, p := int32(len(g.queue)), &g.slots[at]
	g.queue = append(g.queue, queued{s, d, -1})
	if p.first < 0 {
		p.first, p.next = n, n
		g.active = append(g.active, queueEntry{at, n})
	} else {
		g.queue[p.last].next = n
	}
	p.last = n
}

// BeginBatch is called before each batch of packets, and follows how many connections
// begin between two batches: see [Table.GroupingPays].
func (t *Table) BeginBatch() {
	g := &t.grouping
	g.startRate += 16*(t.nextOrder-g.startedBefore) - g.startRate/4
	g.startedBefore = t.nextOrder
}

// GroupingPays reports whether [Table.SegmentsByConn] pays: if several connections are open
// and, as a running mean, few begin. The state of short connections uses recycled memory that
// is still in the caches.
func (t *Table) GroupingPays() bool {
	g, least := &t.grouping, minGrouped
	if len(t.fast) > 1 {
		least = 2
	}
	return t.open.n >= least && g.startRate/4 < t.open.n
}

// SegmentsByConn processes the packets of a part of the capture, given in order, connection
// by connection, and on [Options.Goroutines] goroutines. Observers get the packets of one
// connection in their order, but the order between connections is lost. It takes 0.65 of the CPU time for a thousand
// connections, and on two cores 25 to 37 % less wall time for a hundred and more.
func (t *Table) SegmentsByConn(parts ...[]packet.Segment) {
	for _, segs := range parts {
		for i := range segs {
			t.processGrouped(&segs[i])
		}
	}
	t.processQueued()
}

// processGrouped processes or queues a packet.
func (t *Table) processGrouped(s *packet.Segment) {
	t.arrive(s)
	d, at := t.cache.findSlot(t.flows, s)
	if d != nil && t.mayBeQueued(s, at) {
		t.grouping.enqueue(s, d, at)
	} else {
		if d != nil {
			t.processQueuedOf(at)
		}
		t.slowPath(s)
	}
	if s.Time > t.sweepAt {
		t.sweep()
	}
}

// mayBeQueued reports whether a packet of the connection with slot at certainly changes nothing
// except that connection. A SYN, a FIN, a RST or an ACK of a connection that is not steady may
// change the lists of the table. An MPTCP option may tell a token, or show that the connection is
// Multipath TCP, and then the connection gets its number. A clock step concerns all connections.
func (t *Table) mayBeQueued(s *packet.Segment, at int32) bool {
	p := &t.grouping.slots[at]
	return p.steady && s.Flags&(packet.SYN|packet.FIN|packet.RST) == 0 && s.OtherLen == 0 &&
		s.Have&(packet.ClockChanged|packet.OptionsMalformed|packet.BadMPTCP|packet.Quoted) == 0 &&
		(p.multipath || s.Have&(packet.HasDSS|packet.OptionsCut) == 0)
}

// processQueued processes all queued packets.
func (t *Table) processQueued() {
	g := &t.grouping
	if len(t.fast) > 1 && len(g.active) > 1 && len(g.queue) >= minEach*len(g.active) {
		t.processTogether()
	}
	for _, e := range g.active {
		t.processQueuedOf(e.slot)
	}
	g.active, g.queue = g.active[:0], g.queue[:0]
}

// processTogether processes, on several goroutines, the queued packets of each connection that
// come before its first packet that is not for the fast path.
func (t *Table) processTogether() {
	g := &t.grouping
	var begun atomic.Int32 // connections
	process := func(p *Packet) {
		for i := begun.Add(1); int(i) <= len(g.active); i = begun.Add(1) {
			if e := g.active[i-1]; g.isLive(e) {
				p.processQueue(g, e.slot)
			}
		}
	}
	var others sync.WaitGroup
	for i := 1; i < min(len(t.fast), len(g.active)); i++ {
		others.Go(func() {
			defer crash.Catch()
			process(&t.fast[i])
		})
	}
	process(&t.fast[0])
	others.Wait()
}

// processQueue processes the queued packets of the connection with slot at, up to the first
// one that is not for the fast path. It looks at each packet before it processes the one
// before, because the packet has to be loaded from another processor's cache.
func (p *Packet) processQueue(g *grouping, at int32) {
	i := g.slots[at].next
	for usual := g.isUsual(i); usual && g.queue[i].dir.tcp.IsExpected(g.queue[i].seg); {
		w := &g.queue[i]
		i = w.next
		usual = g.isUsual(i)
		p.fastPath(w.seg, w.dir)
	}
	g.slots[at].next = i // once, because other goroutines use neighbours in memory
}

// isUsual is [SubflowDir.isUsual] of the i-th queued packet; i may be -1 for none.
func (g *grouping) isUsual(i int32) bool { return i >= 0 && g.queue[i].dir.isUsual(g.queue[i].seg) }

// processQueuedOf processes the queued packets of one connection.
func (t *Table) processQueuedOf(at int32) {
	g, p := &t.grouping, &t.fast[0]
	for p.processQueue(g, at); g.slots[at].next >= 0; p.processQueue(g, at) {
		w := &g.queue[g.slots[at].next]
		g.slots[at].next = w.next
		t.process(w.dir, w.seg)
	}
	g.slots[at].first, g.slots[at].last = -1, -1
}
