package conn

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Options are the options of a table.
type Options struct {
	Vantage Vantage // overrules detection where not Unknown
	// MaxState bounds the estimated memory of the connections open at once, bytes; 0
	// means [DefaultMaxState]. At the bound connections are reported as they are.
	MaxState int64
	// MaxLate bounds the subflows with packets that a [LateModule] counts; 0 means
	// [DefaultMaxLate]. Late packets of further subflows are left out, with a warning.
	MaxLate int
	// OneSided gets each connection that a [OneSided] can describe, in no particular
	// order; modules do not get it. If OneSided is nil, modules get these connections,
	// too. The argument is valid during the call.
	OneSided func(*OneSided)
	// LoneSYN gets each connection with nothing but one captured SYN; modules do not
	// get it. If LoneSYN is nil, modules get these connections, too. The argument is
	// valid during the call.
	LoneSYN func(*LoneSYN)
	// Goroutines is how many packets of different connections [Table.SegmentsByConn] may
	// process at the same time, at most [MaxGoroutines]; 0 means 1.
	Goroutines int
}

// MaxGoroutines bounds the packets that are processed at the same time. More would wait for
// the packets: to read and queue them is a quarter of the work, and nothing of that is shared.
const MaxGoroutines = 4

// Table holds the open connections. It is not safe for concurrent use.
type Table struct {
	opt           Options
	bounds        bounds
	modules       []Module
	lateModules   []LateModule // those modules that count late packets
	latePacket    Late         // scratch memory of takeLate
	lateSubflows  int          // subflows with late packets; bounded by Options.MaxLate
	flows         flows
	tokens        map[uint32]tokenOwner
	pendingFlows  []*pendingFlow       // in the order in which they began; bounded by maxPendingFlows
	pendingByFlow map[key]*pendingFlow // the same and the one-sided flows, by their ordered 4-tuples
	heldBytes     int                  // bytes of payload that pending flows hold
	loneSYNs      waitingSYNs          // SYNs without data that no packet followed yet
	dsnIndex      dsnIndex
	timeWait      timeWait

	oneSided    oneSidedFlows
	nextPending int // number of pending flows so far

	open     list[Conn] // connections that are not finished, in the order of creation
	halfOpen list[Conn] // half-open ones among them; bounded by maxHalfOpen
	lone     list[Conn] // those with nothing but a SYN, which is no [LoneSYN] because modules get them; bounded by maxWaitingSYNs
	oneEnd   list[Conn] // those that a [OneSided] could describe, likewise; bounded by maxHalfOpen
	ended    list[Conn] // those that lost their last subflow and wait for joins, in the order of their end; bounded by maxEnded
	closed   list[Conn] // those that wait only for stragglers, likewise; bounded by maxClosed
	subflows int        // subflows of all open connections; bounded by maxOpen, plus those that one packet adds
	toEvict  []idleConn // connections to evict, the first one first; bounded by maxOpen
	pool     connPool   // see [Conn.Recycle]

	nextOrder  int
	nextID     int
	pkt        Packet
	fast       []Packet // the packets on the fast path, one for each goroutine: what only other packets set stays clear
	cache      cache    // of flows
	now        int64    // time of the latest packet
	sweepAt    int64    // time of the next sweep
	sinceSweep int      // packets since the latest sweep
	state      int64    // bytes that the open connections took at the latest call of boundState, with those that began or ended since
	stateRoom  int64    // bytes that the open connections may take more until the next call of boundState

	grouping grouping

	clockSteps int // clock steps so far; not counted beyond the first that exceeds [maxClockSteps]

	atEnd bool // the capture has ended

	Warnings Warnings
	LeftOut  []int64 // packets that no connection counts, by capture file
}

// NewTable returns an empty table. Each module is offered every connection.
func NewTable(opt Options, modules ...Module) *Table {
	if opt.MaxState <= 0 {
		opt.MaxState = DefaultMaxState
	}
	if opt.MaxLate <= 0 {
		opt.MaxLate = DefaultMaxLate
	}
	t := &Table{
		opt: opt, bounds: bounds{maxOpen, maxHalfOpen, maxEnded, maxClosed, maxWaitingSYNs}, modules: modules, lateModules: modulesForLate(modules),
		flows:  make(flows),
		tokens: make(map[uint32]tokenOwner), pendingByFlow: make(map[key]*pendingFlow),

		open: connList(listOpen), halfOpen: connList(listHalfOpen), lone: connList(listHalfOpen), oneEnd: connList(listHalfOpen), ended: connList(listEnded), closed: connList(listClosed),
		loneSYNs: newWaitingSYNs(), oneSided: newOneSidedFlows(),
	}
	t.fast = make([]Packet, min(max(1, opt.Goroutines), MaxGoroutines))
	for i := range t.fast {
		t.fast[i].FastPath, t.fast[i].Goroutine = true, i
	}
	t.stateRoom = t.roomOf(0)
	return t
}

// slowPath is [Table.Segment] for any packet, without the sweep that may be due after one.
func (t *Table) slowPath(s *packet.Segment) {
	k := key{s.Src, s.Dst}
	if d := t.cache.find(t.flows, k, s); d != nil && d.onFastPath(s) { // it was not in the cache
		t.fast[0].fastPath(s, d)
		return
	}
	if s.Have&packet.ClockChanged != 0 {
		t.clockChanged(s)
	}
	if s.Have&packet.Quoted != 0 {
		t.quoted(k, s)
		return
	}
	if d := t.find(k, s); d != nil {
		t.process(d, s)
	}
}

// find returns the direction of a packet, which may be new; nil where it belongs to
// none or is held.
func (t *Table) find(k key, s *packet.Segment) *SubflowDir {
	d, pf := t.known(k, s)
	if s.Flags&(packet.SYN|packet.ACK) == packet.SYN {
		if pf != nil {
			if pf.beganWith(s) {
				return t.holdPacket(pf, k, s)
			}
			t.openPending(pf, false) // the port was used by another connection before
			d, _ = t.known(k, s)
		}
		switch {
		case d == nil:
			return t.openFlow(k, s)
		case t.reusesPort(d, s):
			if d.Sub.Done() {
				t.rememberFlow(k, false, d.Conn.Order)
				t.timeWait.replace(k)
			}
			t.subflowEnded(d.Sub, "port reused by a new connection")
			t.deleteFlow(k)
			return t.openFlow(k, s)
		}
	}
	switch {
	case d == nil:
		return t.unknownFlow(k, s, pf)
	case t.isOlder(d, k, s):
		t.warnStraggler(s)
		return nil
	}
	return d
}

// isOlder reports whether a packet belongs to the connection that used the port before: that had
// ended when the latest SYN came, and the packet cannot follow this SYN. A queue on the path of the
// other direction makes this happen.
func (t *Table) isOlder(d *SubflowDir, k key, s *packet.Segment) bool {
	return d.Sub.State == subflow.Opening && d.Sub.SYNACK == 0 && s.Flags&packet.SYN == 0 &&
		t.timeWait.replaced(k, t.now) && d.Sub.Precedes(s, d.From)
}

// known returns the direction of a packet, or its pending flow; nil where it has
// neither.
func (t *Table) known(k key, s *packet.Segment) (*SubflowDir, *pendingFlow) {
	if d := t.cache.find(t.flows, k, s); d != nil {
		t.admit(d.Conn)
		return d, nil
	}
	pf := t.pendingFlow(k)
	if l := t.loneSYNs.find(k); l != nil {
		t.openWaiting(l)
	} else if pf != nil && pf.oneSided {
		t.openOneSided(pf)
	} else {
		return nil, pf
	}
	return t.cache.find(t.flows, k, s), nil
}

// reusesPort reports whether a SYN on a known 4-tuple begins another connection (RFC
// 9293, Section 3.6.1): a repeated SYN has the same initial sequence number and comes
// before the handshake is over.
func (t *Table) reusesPort(d *SubflowDir, s *packet.Segment) bool {
	isn, fromSYN := d.Sub.Senders[d.From].ISN()
	if fromSYN && isn == s.Seq {
		return d.Sub.Done() && d.Sub.ThirdACK != 0 && d.From == d.Sub.Initiator
	}
	return fromSYN || d.Sub.State != subflow.Opening // a simultaneous open belongs to the same connection
}

// newConn makes a connection of unknown kind.
func (t *Table) newConn(at int64) *Conn {
	return t.numbered(at, t.takeOrder())
}

// numbered is newConn with a given [Conn.Order].
func (t *Table) numbered(at int64, seq int) *Conn {
	c := t.newOrRecycled()
	c.ID, c.Order, c.Start, c.pool = -1, seq, at, &t.pool
	c.vantage.forced = t.opt.Vantage
	if t.clockSteps > maxClockSteps {
		c.clockFault = manyClockSteps
	}
	c.slot = t.grouping.newSlot()
	t.open.add(c)
	t.count(c, connState)
	t.halfOpen.add(c)
	c.attachObservers(t.modules)
	return c
}

// takeOrder returns the [Conn.Order] of the next connection.
func (t *Table) takeOrder() int {
	n := t.nextOrder
	t.nextOrder++
	return n
}

// takeID returns the [Conn.ID] of the next connection of Multipath TCP.
func (t *Table) takeID() int {
	n := t.nextID
	t.nextID++
	return n
}

// confirmMultipath makes c a Multipath TCP connection and numbers it.
func (t *Table) confirmMultipath(c *Conn) {
	if c.Kind != Multipath {
		c.Kind, c.ID = Multipath, t.takeID()
	}
}

// attach makes sub a subflow of c and returns the direction with key k, which side from
// sends.
func (t *Table) attach(c *Conn, sub *Subflow, k key, from Side) *SubflowDir {
	t.processQueuedOf(c.slot)
	sub.Conn, sub.ID, sub.Initiator = c, len(c.Subflows), from
	sub.Ends[from], sub.Ends[from.Other()] = k.src, k.dst
	for side := range sub.Spaces {
		sub.Spaces[side] = c.Spaces[side].NewSubflow(sub.ID)
		sub.Spaces[side].RTT = &sub.Senders[side].RTT.SRTT
	}
	for side := range sub.dirs {
		other := Side(side).Other()
		sub.dirs[side] = SubflowDir{
			Sub: sub, Conn: c, From: Side(side), DirIndex: 2*sub.ID + side, tcp: sub.Dir(Side(side)), observer: c.observer,
			sentData: &c.Spaces[side], ackedData: &c.Spaces[other], sentSub: sub.Spaces[side], ackedSub: sub.Spaces[other],
			mostSent: sub.mostSent(Side(side)),
		}
	}
	if sub.Start < c.Start {
		c.Start = sub.Start
		t.warn("start_moved", "subflows that turned out to have begun before their connection: what was written of it until then counts from a later start", 0)
	}
	c.Subflows = append(c.Subflows, sub)
	c.live++
	if sub.NoSYN {
		c.subflowsNoSYN++
	}
	t.subflows++
	t.count(c, subflowState)
	t.ended.remove(c)
	t.closed.remove(c)
	t.cache.forget(k)
	t.flows[k.ordered()] = sub
	c.observer.Subflow(sub)
	return &sub.dirs[from]
}
