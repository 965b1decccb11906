package conn

import (
	"math/bits"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// orphan is a TCP connection of which the capture holds no SYN and that
// carries MPTCP options. Its packets wait until its numbers prove which
// connection it belongs to, or until that is given up.
type orphan struct {
	key  key // src is the sender of the first packet
	held []packet.Segment
	seen [2]evidence // what each end sent: [0] key.src
}

// evidence is a data sequence number that one end used, and one that it
// acknowledged.
type evidence struct{ dsn, ack number }

type number struct {
	value uint64
	wide  bool
	ok    bool
}

const (
	maxHeld     = 64   // packets of an orphan
	maxOrphans  = 64   // at once
	holdFor     = 30e9 // ns of capture time
	maxExamined = 4096 // connections compared with an orphan
	proofBits   = 40   // chance agreement of less than 2^-40 is proof
)

// stranger takes a packet of an unknown 4-tuple without a SYN, or with only
// the SYN/ACK captured.
func (t *Table) stranger(k key, s *packet.Segment) (entry, bool) {
	if i := t.orphan(k); i >= 0 {
		return t.hold(i, k, s)
	}
	if t.retired.has(k, t.now) {
		t.Warnings.add("straggler", "packets of connections that had ended were left out", s.Num)
		return entry{}, false
	}
	if s.Have&packet.HasDSS == 0 && s.RareLen == 0 {
		if s.Flags&packet.RST != 0 {
			return entry{}, false // says nothing of a connection worth a report
		}
		return t.adopt(k, s, opener(s), t.newConn(s.Time)), true
	}
	if len(t.orphans) >= maxOrphans {
		t.release(0)
	}
	t.orphans = append(t.orphans, &orphan{key: k})
	return t.hold(len(t.orphans)-1, k, s)
}

// opener returns the side of the sender of a flow's first packet in a new
// connection: B where it is a SYN/ACK.
func opener(s *packet.Segment) Side {
	if s.Flags&packet.SYN != 0 {
		return B
	}
	return A
}

// adopt makes a flow without SYN a subflow of c; side is who sent s.
func (t *Table) adopt(k key, s *packet.Segment, side Side, c *Conn) entry {
	sub := &Subflow{Start: s.Time, AddressID: [2]int{-1, -1}, Headless: true}
	if c.Handshake || len(c.Subflows) > 0 {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	if s.Flags&packet.SYN != 0 { // a SYN/ACK: the other end opened it
		t.attach(c, sub, key{k.dst, k.src}, side.Other())
		return entry{sub, side}
	}
	return t.attach(c, sub, k, side)
}

func (t *Table) orphan(k key) int {
	for i, o := range t.orphans {
		if o.key == k || o.key.src == k.dst && o.key.dst == k.src {
			return i
		}
	}
	return -1
}

// hold keeps a packet of an orphan and looks for its connection.
func (t *Table) hold(i int, k key, s *packet.Segment) (entry, bool) {
	o := t.orphans[i]
	seg := *s
	if s.Payload != nil {
		seg.Payload = append([]byte{}, s.Payload...)
	}
	o.held = append(o.held, seg)
	way := 0
	if o.key != k {
		way = 1
	}
	if s.Have&packet.HasDSS != 0 {
		d := &s.DSS
		if d.Has(mptcp.DSSMap) && d.Length > 0 {
			o.seen[way].dsn = number{d.DSN, d.Has(mptcp.DSSDSN8), true}
		}
		if d.Has(mptcp.DSSAck) {
			o.seen[way].ack = number{d.DataAck, d.Has(mptcp.DSSAck8), true}
		}
	}
	if c, side, ok := t.match(o); ok {
		t.settleOrphan(i, c, side)
	} else if j, side, ok := t.matchOrphans(i); ok {
		// The earlier one becomes a connection, and this one joins it.
		other := t.orphans[j]
		t.settleOrphan(j, nil, A)
		if e, found := t.flows[other.key]; found {
			t.settleOrphan(t.orphan(o.key), e.sub.Conn, side^e.from)
		}
	} else if len(o.held) >= maxHeld || s.Flags&packet.RST != 0 {
		t.release(t.orphan(o.key))
	}
	return entry{}, false
}

// match looks for the open connection in whose spaces the orphan's numbers
// lie, and which of its ends sent the orphan's first packet.
func (t *Table) match(o *orphan) (*Conn, Side, bool) {
	best, side, score := (*Conn)(nil), A, 0
	for i, n := len(t.open)-1, 0; i >= 0 && n < maxExamined; i, n = i-1, n+1 {
		c := t.open[i]
		if c.done || c.Kind != Multipath {
			continue
		}
		for _, s := range []Side{A, B} {
			if b := o.agrees(c, s); b > score {
				best, side, score = c, s, b
			}
		}
	}
	return best, side, score >= proofBits
}

// agrees returns how improbable it is, in bits, that the orphan's numbers lie
// so near to those of c by chance, if the first packet came from side s.
func (o *orphan) agrees(c *Conn, s Side) (total int) {
	for way, e := range o.seen {
		from := s
		if way == 1 {
			from = s.Other()
		}
		own, other := &c.Spaces[from], &c.Spaces[from.Other()]
		inOwn, ok1 := near(e.dsn, own.Next, own.Base)
		inOther, ok2 := near(e.ack, other.Next, other.Base)
		if !ok1 || !ok2 {
			return 0 // a number that lies elsewhere disproves it
		}
		total += max(inOwn, inOther)
	}
	return total
}

// near returns the bits of agreement between a number and a space; ok is
// false where they disagree.
func near(n number, next func() seq.DSN, base func() (uint64, bool, bool)) (score int, ok bool) {
	origin, wide, known := base()
	if !n.ok || !known {
		return 0, true
	}
	width := 32
	distance := int64(int32(uint32(n.value) - uint32(origin) - uint32(next())))
	if n.wide && wide {
		width = 64
		distance = int64(n.value - origin - uint64(next()))
	}
	distance = max(distance, -distance)
	score = width - bits.Len64(uint64(distance)) - 1
	return score, distance < 1<<28
}

// matchOrphans looks for an older orphan that the i-th belongs together with,
// and tells which side of it, if its own first packet came from A, sent the
// first packet of the i-th.
func (t *Table) matchOrphans(i int) (j int, side Side, ok bool) {
	o := t.orphans[i]
	for j, other := range t.orphans {
		if j == i {
			continue
		}
		for _, s := range []Side{A, B} {
			score := 0
			for way := range o.seen {
				e, f := o.seen[way], other.seen[way^int(s)]
				score += max(agree(e.dsn, f.dsn), agree(e.ack, f.ack))
			}
			if score >= proofBits {
				return j, s, true
			}
		}
	}
	return 0, A, false
}

// agree returns the bits of agreement of two numbers of one space.
func agree(a, b number) int {
	if !a.ok || !b.ok {
		return 0
	}
	width, d := 32, int64(int32(uint32(a.value)-uint32(b.value)))
	if a.wide && b.wide {
		width, d = 64, int64(a.value-b.value)
	}
	d = max(d, -d)
	if d >= 1<<28 {
		return 0
	}
	return width - bits.Len64(uint64(d)) - 1
}

// settleOrphan plays the packets of the i-th orphan into connection c, or a
// new one where c is nil; side sent the first of them.
func (t *Table) settleOrphan(i int, c *Conn, side Side) {
	o := t.orphans[i]
	t.orphans = append(t.orphans[:i], t.orphans[i+1:]...)
	first := &o.held[0]
	attached := c != nil
	if !attached {
		c = t.newConn(first.Time)
		t.confirm(c)
		c.Version = o.version()
		side = opener(first)
	}
	sub := t.adopt(o.key, first, side, c).sub
	if attached {
		c.event(Event{Time: first.Time, Sub: sub, From: side, Packet: first.Num, Kind: EventMerged,
			Detail: "subflow without a captured handshake belongs here by its data sequence numbers"})
	}
	for j := range o.held {
		s := &o.held[j]
		from := side
		if o.key.src != s.Src {
			from = side.Other()
		}
		t.take(sub, from, s)
	}
}

// version guesses the protocol version of a connection without a handshake:
// only version 1 has 8-octet numbers as a rule (Linux), MP_TCPRST, and
// ADD_ADDR with an echo or HMAC.
func (o *orphan) version() uint8 {
	for i := range o.held {
		s := &o.held[i]
		if s.Have&packet.HasDSS != 0 && (s.DSS.Has(mptcp.DSSDSN8) || s.DSS.Has(mptcp.DSSAck8)) {
			return 1
		}
		v1 := false
		mptcp.Walk(s.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
			var a mptcp.AddAddr
			var c mptcp.Capable
			v1 = v1 || sub == mptcp.SubTCPRST || sub == mptcp.SubAddAddr && mptcp.ParseAddAddr(opt, &a) == nil && a.Version == 1 ||
				sub == mptcp.SubCapable && mptcp.ParseCapable(opt, &c) == nil && c.Version == 1
			return true
		})
		if v1 {
			return 1
		}
	}
	return 0
}

// release gives up on the i-th orphan: it becomes a connection of its own.
func (t *Table) release(i int) {
	if i >= 0 {
		t.settleOrphan(i, nil, A)
	}
}

// sweepOrphans releases those that have waited long enough.
func (t *Table) sweepOrphans() {
	for i := 0; i < len(t.orphans); {
		if t.now-t.orphans[i].held[0].Time > holdFor {
			t.release(i)
			continue
		}
		i++
	}
}

// settleOrphans releases all, at the end of the capture.
func (t *Table) settleOrphans() {
	for len(t.orphans) > 0 {
		t.release(0)
	}
}
