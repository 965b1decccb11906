package conn

import "mpanalyze/internal/packet"

// Where many connections are at work at once the state of each is out of the
// processor's caches again when its next packet comes, and that costs more than the
// packet. Then the packets of a longer stretch of the capture are taken connection by
// connection. Connections share nothing but the table, so the result is the same as
// long as the packets that change the table are taken in their order: see
// [Table.mayBeQueued].

const (
	// minGrouped is how many connections are open when that pays: the state of fewer
	// stays in the caches.
	minGrouped = 16
	// maxQueueTime is how long packets wait, ns of capture time: less than any connection is
	// kept for what may follow, so that none has ended for good that packets wait of.
	maxQueueTime = linger - 1e9
)

// grouping holds the packets of a stretch that wait, by connection.
type grouping struct {
	slots         []slot   // by [Conn.slot]; as many as connections were ever open at once, which maxOpen bounds
	free          []int32  // places that no open connection has; bounded likewise
	queue         []queued // in the order of the capture; bounded by the packets that Grouped is given
	active        []int32  // places of the connections that packets wait of, in the order of the first ones; bounded likewise
	firstTime     int64    // time of the first of them, ns
	startedBefore int      // connections that had begun when Many was asked before
	startRate     int      // four times the mean of how many began from one time to the next
}

// slot is what a table notes of an open connection beside it, where looking it up
// does not touch the connection.
type slot struct {
	first, last int32 // of its packets that wait, in grouping.packets; -1 for none
	multipath   bool  // it is known to be one of Multipath TCP
}

// queued is a packet that waits.
type queued struct {
	seg  *packet.Segment
	dir  *Direction
	next int32 // the connection's next one; -1 for none
}

// newSlot returns a place for a connection.
func (g *grouping) newSlot() (at int32) {
	if n := len(g.free); n > 0 {
		at, g.free = g.free[n-1], g.free[:n-1]
	} else {
		at, g.slots = int32(len(g.slots)), append(g.slots, slot{})
	}
	g.slots[at] = slot{first: -1, last: -1}
	return at
}

// freeSlot frees a place, of whose connection no packet waits.
func (g *grouping) freeSlot(at int32) { g.free = append(g.free, at) }

// hasQueued reports whether packets wait of a connection.
func (g *grouping) hasQueued(c *Conn) bool { return g.slots[c.slot].first >= 0 }

// enqueue lets a packet wait.
func (g *grouping) enqueue(s *packet.Segment, d *Direction, at int32) {
	n, p := int32(len(g.queue)), &g.slots[at]
	if n == 0 {
		g.firstTime = s.Time
	}
	g.queue = append(g.queue, queued{s, d, -1})
	if p.first < 0 {
		p.first = n
		g.active = append(g.active, at)
	} else {
		g.queue[p.last].next = n
	}
	p.last = n
}

// ManyActive reports whether [Table.SegmentsByConn] pays; it is asked once for each batch of packets.
// It does where many connections are open and few begin, as a running mean: what was
// made for short ones is still in the caches when it is used again.
func (t *Table) ManyActive() bool {
	g := &t.grouping
	g.startRate += (t.nextSeq - g.startedBefore) - g.startRate/4
	g.startedBefore = t.nextSeq
	return t.open.n >= minGrouped && 4*g.startRate < t.open.n
}

// SegmentsByConn takes the packets of a stretch of the capture, given in parts, connection by
// connection. Its observers are told of the packets of one connection in their order,
// but not of those of several.
func (t *Table) SegmentsByConn(parts ...[]packet.Segment) {
	for _, segs := range parts {
		if t.sinceStateCheck += len(segs); t.sinceStateCheck >= stateEvery {
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

// processGrouped takes a packet, or lets it wait for others of its connection.
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
	case d == nil && (alone || t.loneSYNs.find(key{s.Src, s.Dst}) != 0): // concerns no other
	case d != nil && s.Flags&(packet.SYN|packet.ACK) != packet.SYN:
		t.processQueuedOf(at) // it may say what kind of connection this is
	default:
		t.processQueued()
	}
	t.slowPath(s)
}

// mayBeQueued reports whether a packet of a connection that the table knows, at a place, can
// wait: it changes nothing but the connection. One that may open another, or that may
// tell that the connection is one of Multipath TCP, which numbers it, cannot, nor can one
// behind a step of the clock, which all connections are told of.
func (t *Table) mayBeQueued(s *packet.Segment, at int32) bool {
	return s.Flags&packet.SYN == 0 && s.Have&packet.ClockChanged == 0 &&
		(t.grouping.slots[at].multipath || s.OtherLen == 0 && s.Have&(packet.HasDSS|packet.OptionsCut|packet.OptionsMalformed|packet.BadMPTCP) == 0)
}

// joinTarget returns the open connection that a SYN joins, nil where it joins none; alone says
// that it begins a connection that concerns no other.
func (t *Table) joinTarget(s *packet.Segment) (owner *Conn, alone bool) {
	if s.Flags&(packet.SYN|packet.ACK) != packet.SYN {
		return nil, false
	}
	join := joinOf(s)
	if join == nil {
		return nil, true
	}
	return t.tokens[join.Token].conn, false
}

// hasRoom reports whether another subflow fits into the table without closing any
// connection early.
func (t *Table) hasRoom() bool { return t.halfOpen.n < maxHalfOpen && t.subflows < maxOpen }

// processQueued takes all packets that wait.
func (t *Table) processQueued() {
	g := &t.grouping
	for _, at := range g.active {
		t.processQueuedOf(at)
	}
	g.active, g.queue = g.active[:0], g.queue[:0]
}

// processQueuedOf takes the packets that wait of one connection. Meanwhile no connection
// that packets wait of leaves the table: see [grouping.hasQueued].
func (t *Table) processQueuedOf(at int32) {
	g := &t.grouping
	for i := g.slots[at].first; i >= 0; {
		w := &g.queue[i]
		i = w.next
		if w.dir.onFastPath(w.seg) {
			t.fastPath(w.seg, w.dir)
			continue
		}
		t.now = max(t.now, w.seg.Time)
		t.process(w.dir, w.seg)
	}
	g.slots[at].first, g.slots[at].last = -1, -1
}
