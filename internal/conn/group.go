package conn

import (
	"sync"
	"sync/atomic"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/packet"
)

// The packets of a longer part of the capture can be processed connection by connection.
// Connections share only the table. So the result is the same, provided that packets that
// change the table are processed in their order: see [Table.mayBeQueued]. This has two uses:
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
	// maxQueueTime is how long packets may be queued, ns of capture time. It is less than
	// stragglerWait, so that no connection with queued packets can end meanwhile.
	maxQueueTime = stragglerWait - 1e9
)

// grouping holds the queued packets, by connection.
type grouping struct {
	slots         []slot       // by [Conn.slot]; bounded by maxOpen: as many as connections were ever open at once
	free          []int32      // slots that no open connection has; bounded by maxOpen
	queue         []queued     // queued packets in the order of the capture; bounded by the packets given to SegmentsByConn
	active        []queueEntry // of the connections with queued packets, in the order of their first packets; bounded by queue
	firstTime     int64        // time of the first queued packet, ns
	startedBefore int          // connections that had begun at the previous call of BeginBatch
	startRate     int          // 64 times the running mean of connections that begin between two calls
}

// slot is the part of an open connection's state that is read without loading the
// connection.
type slot struct {
	first, last int32 // its queued packets, as indices of grouping.queue; -1 for none
	next        int32 // the first of them that is not processed yet; -1 for none
	multipath   bool  // the connection is known to be Multipath TCP
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

// hasQueued reports whether a connection has queued packets.
func (g *grouping) hasQueued(c *Conn) bool { return g.slots[c.slot].first >= 0 }

// enqueue queues a packet of the connection with slot at.
func (g *grouping) enqueue(s *packet.Segment, d *SubflowDir, at int32) {
	n, p := int32(len(g.queue)), &g.slots[at]
	if n == 0 {
		g.firstTime = s.Time
	}
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
// connection in their order, but the order between connections is lost.
func (t *Table) SegmentsByConn(parts ...[]packet.Segment) {
	for _, segs := range parts {
		if !t.hasRoomFor(len(segs)) {
			t.processQueued()
			t.boundState()
		}
		for i := range segs {
			t.processGrouped(&segs[i])
		}
	}
	t.processQueued()
	t.boundEnded()
}

// processGrouped processes or queues a packet.
func (t *Table) processGrouped(s *packet.Segment) {
	t.sinceSweep++
	if s.Time-t.grouping.firstTime > maxQueueTime {
		t.processQueued()
	}
	d, at := t.cache.findSlot(t.flows, s)
	if d != nil && t.mayBeQueued(s, at) {
		t.grouping.enqueue(s, d, at)
		if s.Time > t.sweepAt {
			t.sweep(s.Time)
		}
		return
	}
	owner, alone := t.joinTarget(s)
	switch {
	case s.Have&packet.ClockChanged != 0 || !t.hasRoom():
		t.processQueued()
	case d == nil && owner != nil:
		t.processQueuedOf(owner.slot)
	case d == nil && (alone || t.loneSYNs.find(key{s.Src, s.Dst}) != nil): // the packet concerns no other connection
	case d != nil && s.Flags&(packet.SYN|packet.ACK) != packet.SYN:
		t.processQueuedOf(at) // the packet may decide what kind of connection this is
	default:
		t.processQueued()
	}
	t.slowPath(s)
}

// mayBeQueued reports whether a packet of the connection with slot at changes nothing
// except that connection. Three kinds of packets must not be queued. One may open another
// connection. One may show that the connection is Multipath TCP, and then the connection
// gets its number. One follows a clock step, which concerns all connections.
func (t *Table) mayBeQueued(s *packet.Segment, at int32) bool {
	return s.Flags&packet.SYN == 0 && s.Have&packet.ClockChanged == 0 &&
		(t.grouping.slots[at].multipath || s.OtherLen == 0 && s.Have&(packet.HasDSS|packet.OptionsCut|packet.OptionsMalformed|packet.BadMPTCP) == 0)
}

// joinTarget returns the open connection that a SYN joins, nil if there is none. alone says
// that the SYN begins a connection that concerns no other connection.
func (t *Table) joinTarget(s *packet.Segment) (owner *Conn, alone bool) {
	if s.Flags&(packet.SYN|packet.ACK) != packet.SYN {
		return nil, false
	}
	join, ok := joinOf(s)
	if !ok {
		return nil, true
	}
	return t.tokens[join.Token].conn, false
}

// hasRoom reports whether the table has room for another subflow without closing a
// connection early: see makeRoom.
func (t *Table) hasRoom() bool {
	return t.halfOpen.n < maxHalfOpen && t.subflows < maxOpen && t.hasRoomFor(0) && t.state <= t.mostState()
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

// processQueuedOf processes the queued packets of one connection. Connections with queued
// packets stay in the table meanwhile: see [grouping.hasQueued].
func (t *Table) processQueuedOf(at int32) {
	g, p := &t.grouping, &t.fast[0]
	for p.processQueue(g, at); g.slots[at].next >= 0; p.processQueue(g, at) {
		w := &g.queue[g.slots[at].next]
		g.slots[at].next = w.next
		t.now = max(t.now, w.seg.Time)
		t.process(w.dir, w.seg)
	}
	g.slots[at].first, g.slots[at].last = -1, -1
}
