package conn

import (
	"slices"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// pendingFlow is a TCP connection with MPTCP options that is not known to belong to
// any connection: the capture holds no SYN of it, or its MP_JOIN has a token
// that was not seen. Its packets wait until its numbers prove which connection
// it belongs to, or until that is given up.
type pendingFlow struct {
	key   key // src is the sender of the first packet
	held  []packet.Segment
	bytes int // payload in held
	// latest is the latest numbers of the data that each end sends, [0] key.src, as
	// either end shows them: by way, and by the sender of the packet.
	latest [2][2]wireDSN
	join   *mptcp.Join // of its SYN; nil where that was not captured

	order   int           // its place in the order in which orphans began
	entries [2]dsnEntries // in [dsnIndex], by the sender of the packets

	oneSided   bool // it is one of [oneSidedFlows], as follows
	noMatching bool // as [Conn.noMatching]
	known      OneSided
	endsAt     [2]wireDSN // that its spaces have come to
	next, prev *pendingFlow
}

// maxNoSYN bounds the subflows of one connection whose SYN was not captured and shows
// no token: a capture from the middle finds those that are alive, which are a few (eight
// and the first in Linux). What is proved to belong to one that has so many becomes a
// connection of its own, to which nothing else is added.
const maxNoSYN = 64

// The bounds of what waits.
const (
	maxHeldPackets  = 64       // packets of an orphan
	maxHeldForJoin  = 512      // while one waits that may turn out to be the beginning of the same connection
	maxPendingFlows = 64       // at once
	maxHeldBytes    = 16 << 20 // payload of all
	holdFor         = 30e9     // ns of capture time
)

// unknownFlow takes a packet of an unknown 4-tuple that is no first SYN; o is the orphan
// that it is of, if there is one.
func (t *Table) unknownFlow(k key, s *packet.Segment, o *pendingFlow) *Direction {
	if o != nil {
		return t.holdPacket(o, k, s)
	}
	switch early, ok := t.timeWait.has(k, t.now); {
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
		t.confirmMultipath(c)
		c.Version = offer.Version
		return t.attachFlow(k, s, firstSender(s), c)
	case s.Have&packet.HasDSS == 0 && s.OtherLen == 0:
		return t.attachFlow(k, s, firstSender(s), t.newConn(s.Time))
	}
	return t.addPending(k, s, nil)
}

// addPending makes an orphan of the flow that s begins.
func (t *Table) addPending(k key, s *packet.Segment, join *mptcp.Join) *Direction {
	if len(t.pendingFlows) >= maxPendingFlows {
		t.giveUpPending(t.pendingFlows[0])
	}
	o := t.oneSided.newPending()
	o.key, o.join, o.order = k, join, t.nextPending
	t.nextPending++
	t.pendingFlows = append(t.pendingFlows, o)
	t.pendingByFlow[k.ordered()] = o
	return t.holdPacket(o, k, s)
}

// firstSender returns the side of the sender of a flow's first packet in a new
// connection: B where it is a SYN/ACK.
func firstSender(s *packet.Segment) Side {
	if s.Flags&packet.SYN != 0 && s.Flags&packet.ACK != 0 {
		return B
	}
	return A
}

// attachFlow makes a flow whose first packet is s a subflow of c; side sent s.
func (t *Table) attachFlow(k key, s *packet.Segment, side Side, c *Conn) *Direction {
	sub := c.newSubflow(s)
	if len(c.Subflows) > 0 {
		sub.Joined, sub.HMAC = true, HMACUnchecked
	}
	if firstSender(s) == B { // the other end opened it
		t.attach(c, sub, k.reverse(), side.Other())
		return &sub.dirs[side]
	}
	return t.attach(c, sub, k, side)
}

// pendingFlow returns the orphan with the 4-tuple k, nil where there is none.
func (t *Table) pendingFlow(k key) *pendingFlow {
	if len(t.pendingByFlow) == 0 {
		return nil
	}
	return t.pendingByFlow[k.ordered()]
}

// forgetPending forgets o.
func (t *Table) forgetPending(o *pendingFlow) {
	delete(t.pendingByFlow, o.key.ordered())
	t.dsnIndex.leavePending(o)
	if o.oneSided {
		t.oneSided.remove(o)
	} else {
		t.removePending(o)
	}
}

// removePending takes o from those that wait for proof.
func (t *Table) removePending(o *pendingFlow) {
	at := slices.Index(t.pendingFlows, o)
	t.pendingFlows = slices.Delete(t.pendingFlows, at, at+1)
	t.heldBytes -= o.bytes
}

// beganWith reports whether s repeats the SYN that the orphan began with.
func (o *pendingFlow) beganWith(s *packet.Segment) bool {
	first := &o.held[0]
	return o.join != nil && first.Seq == s.Seq && first.Src == s.Src
}

// holdPacket keeps a packet of an orphan and looks for its connection.
func (t *Table) holdPacket(o *pendingFlow, k key, s *packet.Segment) *Direction {
	seg := *s
	if s.Payload != nil {
		seg.Payload = append([]byte{}, s.Payload...)
	}
	o.held = append(o.held, seg)
	o.bytes += len(seg.Payload)
	t.heldBytes += len(seg.Payload)
	o.noteNumbers(k, s)
	if n := len(o.held); (n <= 8 || n&(n-1) == 0) && t.matchPending(o) {
		return nil
	}
	t.dsnIndex.enterPending(o)
	if n := len(o.held); n >= maxHeldForJoin || n >= maxHeldPackets && !t.followsJoin(o) || s.Flags&packet.RST != 0 {
		t.giveUpPending(o)
	}
	for t.heldBytes > maxHeldBytes {
		t.giveUpPending(t.pendingFlows[0])
	}
	return nil
}

// giveUpPending gives up on an orphan: it becomes a connection of its own.
func (t *Table) giveUpPending(o *pendingFlow) {
	if !t.keepOneSided(o, false) && !t.keepJoinSYN(o) {
		t.openPending(o, false)
	}
}

// openPending makes a connection of an orphan. Of one apart it is not asked what else its
// numbers prove to belong to it.
func (t *Table) openPending(o *pendingFlow, apart bool) *Conn {
	first := &o.held[0]
	c := t.newConnOf(o, first.Time)
	c.noMatching = apart
	t.replay(t.attachPending(o, c, firstSender(first)))
	return c
}

// sweepPending releases those that have waited long enough.
func (t *Table) sweepPending() {
	for i := 0; i < len(t.pendingFlows); {
		if t.now-t.pendingFlows[i].held[0].Time > holdFor {
			t.giveUpPending(t.pendingFlows[i])
			continue
		}
		i++
	}
}
