package conn

import "mpanalyze/internal/packet"

// Where many connections are at work at once the state of each is out of the
// processor's caches again when its next packet comes, and that costs more than the
// packet. Then the packets of a longer stretch of the capture are taken connection by
// connection. Connections share nothing but the table, so the result is the same as
// long as the packets that change the table are taken in their order: see
// [Table.mayBeGrouped].

const (
	// manyAtOnce is how many connections are open when that pays: the state of fewer
	// stays in the caches.
	manyAtOnce = 16
	// maxWait is how long packets wait, ns of capture time: less than any connection is
	// kept for what may follow, so that none has ended for good that packets wait of.
	maxWait = linger - 1e9
)

// grouping holds the packets of a stretch that wait, by connection.
type grouping struct {
	places  []place   // by [Conn.place]; as many as connections were ever open at once, which maxOpen bounds
	free    []int32   // places that no open connection has; bounded likewise
	packets []waiting // in the order of the capture; bounded by the packets that Grouped is given
	order   []int32   // places of the connections that packets wait of, in the order of the first ones; bounded likewise
	began   int64     // time of the first of them, ns
	seq     int       // connections that had begun when Many was asked before
	begin   int       // four times the mean of how many began from one time to the next
}

// place is what a table notes of an open connection beside it, where looking it up
// does not touch the connection.
type place struct {
	first, last int32 // of its packets that wait, in grouping.packets; -1 for none
	multipath   bool  // it is known to be one of Multipath TCP
}

// waiting is a packet that waits.
type waiting struct {
	seg  *packet.Segment
	dir  *Direction
	next int32 // the connection's next one; -1 for none
}

// enter returns a place for a connection.
func (g *grouping) enter() (at int32) {
	if n := len(g.free); n > 0 {
		at, g.free = g.free[n-1], g.free[:n-1]
	} else {
		at, g.places = int32(len(g.places)), append(g.places, place{})
	}
	g.places[at] = place{first: -1, last: -1}
	return at
}

// leave frees a place, of whose connection no packet waits.
func (g *grouping) leave(at int32) { g.free = append(g.free, at) }

// holds reports whether packets wait of a connection.
func (g *grouping) holds(c *Conn) bool { return g.places[c.place].first >= 0 }

// add lets a packet wait.
func (g *grouping) add(s *packet.Segment, d *Direction, at int32) {
	n, p := int32(len(g.packets)), &g.places[at]
	if n == 0 {
		g.began = s.Time
	}
	g.packets = append(g.packets, waiting{s, d, -1})
	if p.first < 0 {
		p.first = n
		g.order = append(g.order, at)
	} else {
		g.packets[p.last].next = n
	}
	p.last = n
}

// ManyActive reports whether [Table.SegmentsByConn] pays; it is asked once for each batch of packets.
// It does where many connections are open and few begin, as a running mean: what was
// made for short ones is still in the caches when it is used again.
func (t *Table) ManyActive() bool {
	g := &t.grouping
	g.begin += (t.nextSeq - g.seq) - g.begin/4
	g.seq = t.nextSeq
	return t.open.n >= manyAtOnce && 4*g.begin < t.open.n
}

// SegmentsByConn takes the packets of a stretch of the capture, given in parts, connection by
// connection. Its observers are told of the packets of one connection in their order,
// but not of those of several.
func (t *Table) SegmentsByConn(parts ...[]packet.Segment) {
	for _, segs := range parts {
		if t.passed += len(segs); t.passed >= stateEvery {
			t.takeWaiting()
			t.boundState()
		}
		for i := range segs {
			t.group(&segs[i])
		}
	}
	t.takeWaiting()
	t.boundEnded()
}

// group takes a packet, or lets it wait for others of its connection.
func (t *Table) group(s *packet.Segment) {
	t.since++
	if s.Time-t.grouping.began > maxWait {
		t.takeWaiting()
	}
	d, at := t.cache.locate(t.flows, s)
	if d != nil && t.mayBeGrouped(s, at) {
		t.grouping.add(s, d, at)
		if s.Time > t.sweepAt {
			t.sweep(s.Time)
		}
		return
	}
	owner, alone := t.joined(s)
	switch {
	case s.Have&packet.ClockChanged != 0 || !t.hasRoom():
		t.takeWaiting()
	case d == nil && owner != nil:
		t.takeWaitingOf(owner.place)
	case d == nil && (alone || t.lones.of(key{s.Src, s.Dst}) != 0): // concerns no other
	case d != nil && s.Flags&(packet.SYN|packet.ACK) != packet.SYN:
		t.takeWaitingOf(at) // it may say what kind of connection this is
	default:
		t.takeWaiting()
	}
	t.unusual(s)
}

// mayBeGrouped reports whether a packet of a connection that the table knows, at a place, can
// wait: it changes nothing but the connection. One that may open another, or that may
// tell that the connection is one of Multipath TCP, which numbers it, cannot, nor can one
// behind a step of the clock, which all connections are told of.
func (t *Table) mayBeGrouped(s *packet.Segment, at int32) bool {
	return s.Flags&packet.SYN == 0 && s.Have&packet.ClockChanged == 0 &&
		(t.grouping.places[at].multipath || s.OtherLen == 0 && s.Have&(packet.HasDSS|packet.OptionsCut|packet.OptionsMalformed|packet.BadMPTCP) == 0)
}

// joined returns the open connection that a SYN joins, nil where it joins none; alone says
// that it begins a connection that concerns no other.
func (t *Table) joined(s *packet.Segment) (owner *Conn, alone bool) {
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
func (t *Table) hasRoom() bool { return t.halfs.n < maxHalfOpen && t.subflows < maxOpen }

// takeWaiting takes all packets that wait.
func (t *Table) takeWaiting() {
	g := &t.grouping
	for _, at := range g.order {
		t.takeWaitingOf(at)
	}
	g.order, g.packets = g.order[:0], g.packets[:0]
}

// takeWaitingOf takes the packets that wait of one connection. Meanwhile no connection
// that packets wait of leaves the table: see [grouping.holds].
func (t *Table) takeWaitingOf(at int32) {
	g := &t.grouping
	for i := g.places[at].first; i >= 0; {
		w := &g.packets[i]
		i = w.next
		if w.dir.isUsual(w.seg) {
			t.usual(w.seg, w.dir)
			continue
		}
		t.now = max(t.now, w.seg.Time)
		t.take(w.dir, w.seg)
	}
	g.places[at].first, g.places[at].last = -1, -1
}
