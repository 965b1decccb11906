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
	opt     Options
	modules []Module
	flows   flows
	tokens  map[uint32]tokenOwner
	orphans []*orphan       // in the order in which they began; bounded by maxOrphans
	waiting map[key]*orphan // the same and fragments, by their ordered 4-tuples
	held    int             // octets of payload that orphans hold
	lones   lones           // SYNs without data that nothing has followed yet
	numbers numbers
	retired retired

	fragments fragments
	began     int // orphans

	open     roll   // connections that are not finished, in the order of creation
	halfs    roll   // those of them that are half-open; bounded by maxHalfOpen
	ended    roll   // those that lost their last subflow and wait for joins, in the order of their end; bounded by maxEnded
	closed   roll   // those that wait for stragglers only, likewise; bounded by maxClosed
	subflows int    // of all that are open; bounded by maxOpen, and what one packet adds
	idlest   []idle // connections to be evicted, the first one first; bounded by maxOpen
	spares   spares // see [Conn.Recycle]

	nextSeq  int
	nextID   int
	pkt      Packet
	mapping  Mapping      // scratch of announce
	checksum dss.Checksum // scratch of place
	cache    cache        // of flows
	now      int64        // time of the latest packet that was not a usual one, or brought a sweep about
	sweepAt  int64        // when the next sweep is due
	since    int          // packets since the latest
	passed   int          // packets since the latest look at the state of all connections

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
		tokens: make(map[uint32]tokenOwner), waiting: make(map[key]*orphan),

		open: roll{kind: allOpen}, halfs: roll{kind: allHalfOpen}, ended: roll{kind: allEnded},
		closed: roll{kind: allClosed},
	}
}

// unusual is [Table.Segment] for any packet.
func (t *Table) unusual(s *packet.Segment) {
	k := key{s.Src, s.Dst}
	if d := t.cache.find(t.flows, k, s); d != nil && d.isUsual(s) { // it missed the cache
		t.usual(s, d)
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
		t.take(d, s)
		if changed && s.Clock.OutOfOrder {
			d.Conn.late(s)
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
				return t.hold(o, k, s)
			}
			t.begins(o, false) // another connection used the port before
			d, _ = t.known(k, s)
		}
		switch {
		case d == nil:
			return t.begin(k, s)
		case t.reused(d, s):
			t.end(d.Sub, "port reused by a new connection")
			t.unmap(k)
			return t.begin(k, s)
		}
	}
	if d == nil {
		return t.stranger(k, s, o)
	}
	return d
}

// known returns the direction that a packet belongs to, or the orphan; nil where neither a
// connection has it, nor what waits of one.
func (t *Table) known(k key, s *packet.Segment) (*Direction, *orphan) {
	if d := t.cache.find(t.flows, k, s); d != nil {
		return d, nil
	}
	o := t.orphan(k)
	if i := t.lones.of(k); i != 0 {
		t.follow(i)
	} else if o != nil && o.aside {
		t.goesOn(o)
	} else {
		return nil, o
	}
	return t.cache.find(t.flows, k, s), nil
}

// reused reports whether a SYN on a known 4-tuple begins another connection
// (RFC 9293, Section 3.6.1): a repeated SYN has the old initial sequence
// number, and comes before the handshake is over.
func (t *Table) reused(d *Direction, s *packet.Segment) bool {
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
	c := t.vacant()
	c.ID, c.Order, c.Start, c.home = -1, seq, at, &t.spares
	c.vantage.forced = t.opt.Vantage
	if t.clockSteps > maxClockSteps {
		c.clockFault = manyClockSteps
	}
	c.place = t.grouping.enter()
	t.open.add(c)
	t.halfs.add(c)
	c.watch(t.modules)
	return c
}

// confirm makes c a Multipath TCP connection and numbers it.
func (t *Table) confirm(c *Conn) {
	if c.Kind != Multipath {
		c.Kind, c.ID = Multipath, t.nextID
		t.nextID++
		t.grouping.places[c.place].multipath = true
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
			Sub: sub, Conn: c, From: Side(side), DirIndex: 2*sub.ID + side, tcp: sub.Direction(Side(side)), watcher: c.watcher,
			space: &c.Spaces[side], acked: &c.Spaces[other], lane: sub.Spaces[side], back: sub.Spaces[other],
		}
	}
	if sub.Start < c.Start {
		c.Start = sub.Start
		t.warn("start_moved", "subflows that turned out to have begun before their connection: what was written of it until then counts from a later start", 0)
	}
	c.Subflows = append(c.Subflows, sub)
	c.live++
	if sub.NoSYN {
		c.headless++
	}
	t.subflows++
	t.ended.remove(c)
	t.closed.remove(c)
	t.cache.forget(k)
	t.flows[k.ordered()] = sub
	c.watcher.Subflow(sub)
	return &sub.dirs[from]
}
