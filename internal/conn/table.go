package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Options steer a table.
type Options struct {
	Vantage Vantage // overrules detection where not Unknown
	// MaxState bounds the memory that the connections open at once take, bytes, about; 0
	// for [DefaultMaxState]. At the bound connections are reported as they stand.
	MaxState int64
	// OneSided takes what is a [OneSided] in place of the modules, in no order; nil for
	// connections of all. It is valid during the call.
	OneSided func(*OneSided)
	// LoneSYN takes the connections of which nothing was captured but a SYN, in place of the
	// modules, unless it is nil. What it is given is valid during the call.
	LoneSYN func(*LoneSYN)
}

// Table holds the connections that are open. It is not safe for concurrent
// use.
type Table struct {
	opt           Options
	modules       []Module
	flows         flows
	tokens        map[uint32]tokenOwner
	pendingFlows  []*pendingFlow       // in the order in which they began; bounded by maxOrphans
	pendingByFlow map[key]*pendingFlow // the same and fragments, by their ordered 4-tuples
	heldBytes     int                  // octets of payload that orphans hold
	loneSYNs      waitingSYNs          // SYNs without data that nothing has followed yet
	dsnIndex      dsnIndex
	timeWait      timeWait

	oneSided    oneSidedFlows
	nextPending int // orphans

	open     connList   // connections that are not finished, in the order of creation
	halfOpen connList   // those of them that are half-open; bounded by maxHalfOpen
	ended    connList   // those that lost their last subflow and wait for joins, in the order of their end; bounded by maxEnded
	closed   connList   // those that wait for stragglers only, likewise; bounded by maxClosed
	subflows int        // of all that are open; bounded by maxOpen, and what one packet adds
	evictees []idleConn // connections to be evicted, the first one first; bounded by maxOpen
	pool     connPool   // see [Conn.Recycle]

	nextSeq         int
	nextID          int
	pkt             Packet
	mapping         Mapping      // scratch of announce
	checksum        dss.Checksum // scratch of place
	cache           cache        // of flows
	now             int64        // time of the latest packet that was not a usual one, or brought a sweep about
	sweepAt         int64        // when the next sweep is due
	sinceSweep      int          // packets since the latest
	sinceStateCheck int          // packets since the latest look at the state of all connections

	grouping grouping

	clockSteps int // see [maxClockSteps], beyond which it does not count

	Warnings Warnings
}

// NewTable returns an empty table. Each module is offered every connection.
func NewTable(opt Options, modules ...Module) *Table {
	if opt.MaxState <= 0 {
		opt.MaxState = DefaultMaxState
	}
	return &Table{
		opt: opt, modules: modules,
		flows:  make(flows),
		tokens: make(map[uint32]tokenOwner), pendingByFlow: make(map[key]*pendingFlow),

		open: connList{kind: listOpen}, halfOpen: connList{kind: listHalfOpen}, ended: connList{kind: listEnded},
		closed: connList{kind: listClosed},
	}
}

// slowPath is [Table.Segment] for any packet.
func (t *Table) slowPath(s *packet.Segment) {
	k := key{s.Src, s.Dst}
	if d := t.cache.find(t.flows, k, s); d != nil && d.onFastPath(s) { // it missed the cache
		t.fastPath(s, d)
		if s.Time > t.sweepAt {
			t.sweep(s.Time)
		}
		return
	}
	t.now = max(t.now, s.Time)
	changed := s.Have&packet.ClockChanged != 0
	if changed {
		t.clockChanged(s)
	}
	if d := t.find(k, s); d != nil {
		t.process(d, s)
		if changed && s.Clock.OutOfOrder {
			d.Conn.noteOutOfOrder(s)
		}
	}
	if s.Time > t.sweepAt {
		t.sweep(s.Time)
	}
}

// find returns the direction that a packet belongs to, which may be a new one;
// nil where it belongs to none, or waits for it to be known.
func (t *Table) find(k key, s *packet.Segment) *Direction {
	d, o := t.known(k, s)
	if s.Flags&(packet.SYN|packet.ACK) == packet.SYN {
		if o != nil {
			if o.beganWith(s) {
				return t.holdPacket(o, k, s)
			}
			t.openPending(o, false) // another connection used the port before
			d, _ = t.known(k, s)
		}
		switch {
		case d == nil:
			return t.openFlow(k, s)
		case t.reusesPort(d, s):
			t.subflowEnded(d.Sub, "port reused by a new connection")
			t.deleteFlow(k)
			return t.openFlow(k, s)
		}
	}
	if d == nil {
		return t.unknownFlow(k, s, o)
	}
	return d
}

// known returns the direction that a packet belongs to, or the orphan; nil where neither a
// connection has it, nor what waits of one.
func (t *Table) known(k key, s *packet.Segment) (*Direction, *pendingFlow) {
	if d := t.cache.find(t.flows, k, s); d != nil {
		return d, nil
	}
	o := t.pendingFlow(k)
	if i := t.loneSYNs.find(k); i != 0 {
		t.openWaiting(i)
	} else if o != nil && o.oneSided {
		t.openOneSided(o)
	} else {
		return nil, o
	}
	return t.cache.find(t.flows, k, s), nil
}

// reusesPort reports whether a SYN on a known 4-tuple begins another connection
// (RFC 9293, Section 3.6.1): a repeated SYN has the old initial sequence
// number, and comes before the handshake is over.
func (t *Table) reusesPort(d *Direction, s *packet.Segment) bool {
	isn, fromSYN := d.Sub.Senders[d.From].ISN()
	if fromSYN && isn == s.Seq {
		return d.Sub.Done() && d.Sub.ThirdACK != 0 && d.From == d.Sub.Initiator
	}
	return fromSYN || d.Sub.State != subflow.Opening // a simultaneous open keeps its connection
}

// newConn begins a connection of unknown kind.
func (t *Table) newConn(at int64) *Conn {
	t.nextSeq++
	return t.numbered(at, t.nextSeq-1)
}

// numbered is newConn for a connection that has its number already.
func (t *Table) numbered(at int64, seq int) *Conn {
	c := t.newOrRecycled()
	c.ID, c.Order, c.Start, c.pool = -1, seq, at, &t.pool
	c.vantage.forced = t.opt.Vantage
	if t.clockSteps > maxClockSteps {
		c.clockFault = manyClockSteps
	}
	c.slot = t.grouping.newSlot()
	t.open.add(c)
	t.halfOpen.add(c)
	c.attachObservers(t.modules)
	return c
}

// confirmMultipath makes c a Multipath TCP connection and numbers it.
func (t *Table) confirmMultipath(c *Conn) {
	if c.Kind != Multipath {
		c.Kind, c.ID = Multipath, t.nextID
		t.nextID++
		t.grouping.slots[c.slot].multipath = true
	}
}

// attach makes sub a subflow of c whose direction k is what side from sends,
// and returns that direction.
func (t *Table) attach(c *Conn, sub *Subflow, k key, from Side) *Direction {
	sub.Conn, sub.ID, sub.Initiator = c, len(c.Subflows), from
	sub.Ends[from], sub.Ends[from.Other()] = k.src, k.dst
	for side := range sub.Spaces {
		sub.Spaces[side] = c.Spaces[side].NewSubflow(sub.ID)
		sub.Spaces[side].RTT = &sub.Senders[side].RTT.SRTT
	}
	for side := range sub.dirs {
		other := Side(side).Other()
		sub.dirs[side] = Direction{
			Sub: sub, Conn: c, From: Side(side), DirIndex: 2*sub.ID + side, tcp: sub.Direction(Side(side)), observer: c.observer,
			sentData: &c.Spaces[side], ackedData: &c.Spaces[other], sentSub: sub.Spaces[side], ackedSub: sub.Spaces[other],
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
	t.ended.remove(c)
	t.closed.remove(c)
	t.cache.forget(k)
	t.flows[k.ordered()] = sub
	c.observer.Subflow(sub)
	return &sub.dirs[from]
}
