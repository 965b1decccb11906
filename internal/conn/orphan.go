package conn

import (
	"slices"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// orphan is a TCP connection with MPTCP options that is not known to belong to
// any connection: the capture holds no SYN of it, or its MP_JOIN has a token
// that was not seen. Its packets wait until its numbers prove which connection
// it belongs to, or until that is given up.
type orphan struct {
	key   key // src is the sender of the first packet
	held  []packet.Segment
	bytes int // payload in held
	// seen is the latest numbers of the data that each end sends, [0] key.src, as
	// either end shows them: by way, and by the sender of the packet.
	seen [2][2]number
	join *mptcp.Join // of its SYN; nil where that was not captured

	began  int       // its place in the order in which orphans began
	places [2]places // in [numbers], by the sender of the packets

	aside      bool // it is one of [fragments], as follows
	apart      bool // as [Conn.apart]
	known      OneSided
	at         [2]number // that its spaces have come to
	next, prev *orphan
}

// maxHeadless bounds the subflows of one connection whose SYN was not captured and shows
// no token: a capture from the middle finds those that are alive, which are a few (eight
// and the first in Linux). What is proved to belong to one that has so many becomes a
// connection of its own, to which nothing else is added.
const maxHeadless = 64

// The bounds of what waits.
const (
	maxHeld       = 64       // packets of an orphan
	maxHeldBehind = 512      // while one waits that may turn out to be the beginning of the same connection
	maxOrphans    = 64       // at once
	maxHeldBytes  = 16 << 20 // payload of all
	holdFor       = 30e9     // ns of capture time
)

// stranger takes a packet of an unknown 4-tuple that is no first SYN; o is the orphan
// that it is of, if there is one.
func (t *Table) stranger(k key, s *packet.Segment, o *orphan) *Direction {
	if o != nil {
		return t.hold(o, k, s)
	}
	switch early, ok := t.retired.has(k, t.now); {
	case ok && early:
		t.warn("closed_early", "packets of connections that had been closed early were left out", s.Num)
		return nil
	case ok:
		t.warn("straggler", "packets of connections that had ended were left out", s.Num)
		return nil
	}
	t.makeRoom()
	if s.Flags&packet.RST != 0 {
		return nil // says nothing of a connection worth a report
	}
	var offer mptcp.Capable
	switch {
	case findCapable(s, &offer): // an initial subflow belongs to no other connection
		c := t.newConn(s.Time)
		t.confirm(c)
		c.Version = offer.Version
		return t.adopt(k, s, opener(s), c)
	case s.Have&packet.HasDSS == 0 && s.OtherLen == 0:
		return t.adopt(k, s, opener(s), t.newConn(s.Time))
	}
	return t.adoptLater(k, s, nil)
}

// adoptLater makes an orphan of the flow that s begins.
func (t *Table) adoptLater(k key, s *packet.Segment, join *mptcp.Join) *Direction {
	if len(t.orphans) >= maxOrphans {
		t.release(t.orphans[0])
	}
	o := t.fragments.newOrphan()
	o.key, o.join, o.began = k, join, t.began
	t.began++
	t.orphans = append(t.orphans, o)
	t.waiting[k.ordered()] = o
	return t.hold(o, k, s)
}

// opener returns the side of the sender of a flow's first packet in a new
// connection: B where it is a SYN/ACK.
func opener(s *packet.Segment) Side {
	if s.Flags&packet.SYN != 0 && s.Flags&packet.ACK != 0 {
		return B
	}
	return A
}

// adopt makes a flow whose first packet is s a subflow of c; side sent s.
func (t *Table) adopt(k key, s *packet.Segment, side Side, c *Conn) *Direction {
	sub := c.newSubflow(s)
	if len(c.Subflows) > 0 {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	if opener(s) == B { // the other end opened it
		t.attach(c, sub, k.reverse(), side.Other())
		return &sub.dirs[side]
	}
	return t.attach(c, sub, k, side)
}

// orphan returns the orphan with the 4-tuple k, nil where there is none.
func (t *Table) orphan(k key) *orphan {
	if len(t.waiting) == 0 {
		return nil
	}
	return t.waiting[k.ordered()]
}

// leave forgets o.
func (t *Table) leave(o *orphan) {
	delete(t.waiting, o.key.ordered())
	t.numbers.leaveOrphan(o)
	if o.aside {
		t.fragments.leave(o)
	} else {
		t.notWaiting(o)
	}
}

// notWaiting takes o from those that wait for proof.
func (t *Table) notWaiting(o *orphan) {
	at := slices.Index(t.orphans, o)
	t.orphans = slices.Delete(t.orphans, at, at+1)
	t.held -= o.bytes
}

// beganWith reports whether s repeats the SYN that the orphan began with.
func (o *orphan) beganWith(s *packet.Segment) bool {
	first := &o.held[0]
	return o.join != nil && first.Seq == s.Seq && first.Src == s.Src
}

// hold keeps a packet of an orphan and looks for its connection.
func (t *Table) hold(o *orphan, k key, s *packet.Segment) *Direction {
	seg := *s
	if s.Payload != nil {
		seg.Payload = append([]byte{}, s.Payload...)
	}
	o.held = append(o.held, seg)
	o.bytes += len(seg.Payload)
	t.held += len(seg.Payload)
	o.learn(k, s)
	if n := len(o.held); (n <= 8 || n&(n-1) == 0) && t.adoptByProof(o) {
		return nil
	}
	t.numbers.enterOrphan(o)
	if n := len(o.held); n >= maxHeldBehind || n >= maxHeld && !t.behind(o) || s.Flags&packet.RST != 0 {
		t.release(o)
	}
	for t.held > maxHeldBytes {
		t.release(t.orphans[0])
	}
	return nil
}

// release gives up on an orphan: it becomes a connection of its own.
func (t *Table) release(o *orphan) {
	if !t.setAside(o, false) && !t.waitsOn(o) {
		t.begins(o, false)
	}
}

// begins makes a connection of an orphan. Of one apart it is not asked what else its
// numbers prove to belong to it.
func (t *Table) begins(o *orphan, apart bool) *Conn {
	first := &o.held[0]
	c := t.found(o, first.Time)
	c.apart = apart
	t.play(t.enroll(o, c, opener(first)))
	return c
}

// sweepOrphans releases those that have waited long enough.
func (t *Table) sweepOrphans() {
	for i := 0; i < len(t.orphans); {
		if t.now-t.orphans[i].held[0].Time > holdFor {
			t.release(t.orphans[i])
			continue
		}
		i++
	}
}
