package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Options steer a table.
type Options struct {
	Vantage Vantage // overrules detection where not Unknown
}

// key names one direction of a TCP connection.
type key struct{ src, dst packet.Endpoint }

// entry is what a direction belongs to.
type entry struct {
	sub  *Subflow
	from Side
}

// Table holds the connections that are open. It is not safe for concurrent
// use.
type Table struct {
	opt     Options
	modules []Module
	flows   map[key]entry
	tokens  map[uint32]tokenOwner
	open    []*Conn // in the order of creation; ended ones are dropped lazily
	orphans []*orphan
	retired retired
	halfs   halfOpen

	nextSeq int
	nextID  [3]int // by kind
	pkt     Packet
	mapping Mapping
	inOrder []*dss.Chunk // scratch
	cache   [cacheSize]cached
	now     int64
	swept   int64

	Warnings Warnings
}

// cached is one line of the lookup cache in front of the flow map.
type cached struct {
	key
	entry
}

const cacheSize = 16

type tokenOwner struct {
	conn *Conn
	side Side // whose token it is
}

// NewTable returns an empty table. Each module is offered every connection.
func NewTable(opt Options, modules ...Module) *Table {
	return &Table{
		opt: opt, modules: modules,
		flows:  make(map[key]entry),
		tokens: make(map[uint32]tokenOwner),
	}
}

// Segment takes the next packet of the capture.
func (t *Table) Segment(s *packet.Segment) {
	t.now = max(t.now, s.Time)
	k := key{s.Src, s.Dst}
	e, ok := t.lookup(k, s)
	if s.Flags&(packet.SYN|packet.ACK) == packet.SYN && (!ok || t.reused(e, s)) {
		if ok {
			t.end(e.sub, "port reused by a new connection")
		}
		e, ok = t.openSYN(k, s), true
	}
	if !ok {
		if e, ok = t.stranger(k, s); !ok {
			return
		}
	}
	t.take(e.sub, e.from, s)
	if t.now-t.swept > sweepEvery {
		t.sweep()
	}
}

// lookup finds the subflow of a packet.
func (t *Table) lookup(k key, s *packet.Segment) (entry, bool) {
	line := &t.cache[(s.Src.Port^s.Dst.Port<<1)%cacheSize]
	if line.key == k && line.sub != nil {
		return line.entry, true
	}
	e, ok := t.flows[k]
	if ok {
		*line = cached{k, e}
	}
	return e, ok
}

// reused reports whether a SYN on a known 4-tuple begins another connection
// (RFC 9293, Section 3.6.1): a repeated SYN has the old initial sequence
// number.
func (t *Table) reused(e entry, s *packet.Segment) bool {
	isn, fromSYN := e.sub.Half[e.from].ISN()
	if fromSYN && isn == s.Seq {
		return false
	}
	return !(e.sub.State == subflow.Opening && !fromSYN) // a simultaneous open keeps its connection
}

// openSYN begins the TCP connection of a SYN: a new connection, or a subflow
// of the one that its MP_JOIN names.
func (t *Table) openSYN(k key, s *packet.Segment) entry {
	sub := &Subflow{Start: s.Time, AddressID: [2]int{-1, -1}}
	var join mptcp.Join
	var capable mptcp.Capable
	switch {
	case findJoin(s, &join) && join.Form == mptcp.JoinSYN:
		owner := t.ownerOf(join.Token, s)
		from := owner.side.Other()
		sub.Joined, sub.HMAC, sub.Backup = true, HMACUnchecked, join.Backup
		sub.AddressID[from] = int(join.AddressID)
		sub.nonces[from], sub.hasNonce[from] = join.Nonce, true
		return t.attach(owner.conn, sub, k, from)
	case findCapable(s, &capable):
		c := t.newConn(s.Time)
		c.Kind, c.Asked, c.Version = Requested, true, capable.Version
		e := t.attach(c, sub, k, A)
		t.halfs.add(t, c)
		return e
	}
	c := t.newConn(s.Time)
	e := t.attach(c, sub, k, A)
	t.halfs.add(t, c)
	return e
}

// ownerOf returns the connection that token names. A join to a connection that
// was not captured makes one of its own, known by that token.
func (t *Table) ownerOf(token uint32, s *packet.Segment) tokenOwner {
	if o, ok := t.tokens[token]; ok && !o.conn.done {
		return o
	}
	c := t.newConn(s.Time)
	t.confirm(c)
	c.Version = 1
	c.Hosts[B].Token, c.Hosts[B].HasToken = token, true
	o := tokenOwner{c, B}
	t.tokens[token] = o
	return o
}

// newConn begins a connection of unknown kind.
func (t *Table) newConn(at int64) *Conn {
	c := &Conn{ID: -1, Seq: t.nextSeq, Start: at, Last: at}
	c.vantage.forced = t.opt.Vantage
	t.nextSeq++
	t.open = append(t.open, c)
	for _, m := range t.modules {
		if o := m.Open(c); o != nil {
			c.watchers = append(c.watchers, o)
		}
	}
	return c
}

// confirm makes c a Multipath TCP connection and numbers it.
func (t *Table) confirm(c *Conn) {
	if c.Kind != Multipath {
		c.Kind = Multipath
		c.ID = t.number(Multipath)
	}
}

func (t *Table) number(k Kind) int {
	n := t.nextID[k]
	t.nextID[k]++
	return n
}

// attach makes sub a subflow of c whose direction k is what side from sends.
func (t *Table) attach(c *Conn, sub *Subflow, k key, from Side) entry {
	sub.Conn, sub.ID, sub.Initiator = c, len(c.Subflows), from
	sub.Ends[from], sub.Ends[from.Other()] = k.src, k.dst
	for side := range sub.Lanes {
		sub.Lanes[side] = c.Spaces[side].NewLane(sub.ID)
	}
	c.Subflows = append(c.Subflows, sub)
	c.live++
	t.flows[k] = entry{sub, from}
	t.flows[key{k.dst, k.src}] = entry{sub, from.Other()}
	t.forget(k)
	for _, o := range c.watchers {
		o.Subflow(sub)
	}
	return entry{sub, from}
}

// forget drops both directions of k from the lookup cache.
func (t *Table) forget(k key) {
	line := &t.cache[(k.src.Port^k.dst.Port<<1)%cacheSize]
	if line.key == k {
		*line = cached{}
	}
	line = &t.cache[(k.dst.Port^k.src.Port<<1)%cacheSize]
	if line.src == k.dst && line.dst == k.src {
		*line = cached{}
	}
}

// Note tells the observers of c of an event that one of them found out; it may
// be called while they take a packet.
func (c *Conn) Note(e Event) { c.event(e) }

// event tells the observers of c.
func (c *Conn) event(e Event) {
	for _, o := range c.watchers {
		o.Event(&e)
	}
}
