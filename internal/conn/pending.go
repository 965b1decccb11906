package conn

import (
	"slices"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// pendingFlow is a TCP connection with MPTCP options that belongs to an unknown
// Multipath TCP connection: its SYN was not captured, or its MP_JOIN has an unknown
// token. The table holds its packets until their numbers prove where it belongs, or
// until the table gives it up.
type pendingFlow struct {
	key   key // src is the sender of the first packet
	held  []packet.Segment
	bytes int // bytes of payload in held
	// latest holds the latest data sequence numbers. The first index is the sender of
	// the data: 0 is key.src. The second index is the sender of the packet that shows
	// the number.
	latest [2][2]wireDSN
	joins  bool   // its SYN was captured and has an MP_JOIN
	token  uint32 // in that MP_JOIN

	order   int           // number of the flow among all pending flows, in the order in which they began
	entries [2]dsnEntries // in [dsnIndex], by the sender of the packets

	oneSided   bool // it is one of [oneSidedFlows]; the fields below belong to that
	noMatching bool // see [Conn.noMatching]
	known      OneSided
	endsAt     [2]wireDSN // the numbers that its spaces have reached
	links      links[pendingFlow]
}

// maxNoSYN bounds the subflows of one connection whose SYN was not captured and that
// have no token. A capture that begins in the middle of a connection shows only its
// live subflows, and these are few: nine at most in Linux. At the bound, another flow
// that belongs to the connection becomes a connection of its own, and no flow is added
// to that.
const maxNoSYN = 64

// The bounds of pending flows.
const (
	maxHeldPackets  = 64       // packets of one flow
	maxHeldForJoin  = 512      // packets of one flow, while a pending join may be the beginning of the same connection
	maxPendingFlows = 64       // flows
	maxHeldBytes    = 16 << 20 // payload of all flows
	holdFor         = 30e9     // ns of capture time
)

// unknownFlow takes a packet of an unknown 4-tuple that is not a first SYN. pf is the
// pending flow of the packet, nil where there is none.
func (t *Table) unknownFlow(k key, s *packet.Segment, pf *pendingFlow) *SubflowDir {
	if pf != nil {
		return t.holdPacket(pf, k, s)
	}
	switch early, ok := t.timeWait.has(k, t.now); {
	case ok && early:
		t.warn("closed_early", "packets of connections that had been closed early were left out", s.Num)
		t.leftOut(s)
		return nil
	case ok:
		if !t.takeLate(k, s) {
			t.warnStraggler(s)
		}
		return nil
	}
	t.makeRoom()
	if s.Flags&packet.RST != 0 {
		t.leftOut(s) // not worth a report
		return nil
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
	return t.addPending(k, s, false, 0)
}

// warnStraggler reports that a packet is left out.
func (t *Table) warnStraggler(s *packet.Segment) {
	t.warn("straggler", "packets of connections that had ended were left out", s.Num)
	t.leftOut(s)
}

// leftOut counts a packet that no connection counts.
func (t *Table) leftOut(s *packet.Segment) {
	for int(s.File) >= len(t.LeftOut) {
		t.LeftOut = append(t.LeftOut, 0)
	}
	t.LeftOut[s.File]++
}

// addPending makes a pending flow that begins with s. joins says that s is a SYN with an
// MP_JOIN, with this token.
func (t *Table) addPending(k key, s *packet.Segment, joins bool, token uint32) *SubflowDir {
	if len(t.pendingFlows) >= maxPendingFlows {
		t.giveUpPending(t.pendingFlows[0])
	}
	pf := t.oneSided.spare.take()
	pf.key, pf.joins, pf.token, pf.order = k, joins, token, t.nextPending
	t.nextPending++
	t.pendingFlows = append(t.pendingFlows, pf)
	t.pendingByFlow[k.ordered()] = pf
	return t.holdPacket(pf, k, s)
}

// firstSender returns the side, in a new connection, of the sender of a flow's first
// packet: B if that is a SYN/ACK.
func firstSender(s *packet.Segment) Side {
	if s.Flags&packet.SYN != 0 && s.Flags&packet.ACK != 0 {
		return B
	}
	return A
}

// attachFlow makes a flow with first packet s a subflow of c; side sent s.
func (t *Table) attachFlow(k key, s *packet.Segment, side Side, c *Conn) *SubflowDir {
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

// pendingFlow returns the pending flow with the 4-tuple k, nil where there is none.
func (t *Table) pendingFlow(k key) *pendingFlow {
	if len(t.pendingByFlow) == 0 {
		return nil
	}
	return t.pendingByFlow[k.ordered()]
}

// forgetPending removes pf from the table.
func (t *Table) forgetPending(pf *pendingFlow) {
	delete(t.pendingByFlow, pf.key.ordered())
	t.dsnIndex.leavePending(pf)
	if pf.oneSided {
		t.oneSided.remove(pf)
	} else {
		t.removePending(pf)
	}
}

// removePending removes pf from the flows that wait for proof.
func (t *Table) removePending(pf *pendingFlow) {
	at := slices.Index(t.pendingFlows, pf)
	t.pendingFlows = slices.Delete(t.pendingFlows, at, at+1)
	t.heldBytes -= pf.bytes
}

// beganWith reports whether s repeats the SYN of the flow.
func (pf *pendingFlow) beganWith(s *packet.Segment) bool {
	first := &pf.held[0]
	return pf.joins && first.Seq == s.Seq && first.Src == s.Src
}

// holdPacket holds a packet of a pending flow and looks for its connection.
func (t *Table) holdPacket(pf *pendingFlow, k key, s *packet.Segment) *SubflowDir {
	seg := *s
	if s.Payload != nil {
		seg.Payload = append([]byte{}, s.Payload...)
	}
	pf.held = append(pf.held, seg)
	pf.bytes += len(seg.Payload)
	t.heldBytes += len(seg.Payload)
	pf.noteNumbers(k, s)
	if n := len(pf.held); (n <= 8 || n&(n-1) == 0) && t.matchPending(pf) {
		return nil
	}
	t.dsnIndex.enterPending(pf)
	if n := len(pf.held); n >= maxHeldForJoin || n >= maxHeldPackets && !t.followsJoin(pf) || s.Flags&packet.RST != 0 {
		t.giveUpPending(pf)
	}
	for t.heldBytes > maxHeldBytes {
		t.giveUpPending(t.pendingFlows[0])
	}
	return nil
}

// giveUpPending ends the wait of a flow. The flow becomes a connection of its own or is
// kept in short form.
func (t *Table) giveUpPending(pf *pendingFlow) {
	if !t.keepOneSided(pf, false) && !t.keepJoinSYN(pf) {
		t.openPending(pf, false)
	}
}

// openPending makes a connection of a pending flow. With noMatching, no flows are added to
// it by their numbers.
func (t *Table) openPending(pf *pendingFlow, noMatching bool) *Conn {
	first := &pf.held[0]
	c := t.newConnOf(pf, first.Time)
	c.noMatching = noMatching
	side := firstSender(first)
	if _, _, few := pf.asOneSided(); !few && first.Flags&packet.SYN == 0 { // of few, A is the sender: see [OneSided]
		side = roleOf(pf.key, side)
	}
	t.replay(t.attachPending(pf, c, side))
	return c
}

// sweepPending gives up the flows that have waited long enough.
func (t *Table) sweepPending() {
	for i := 0; i < len(t.pendingFlows); {
		if t.now-t.pendingFlows[i].held[0].Time > holdFor {
			t.giveUpPending(t.pendingFlows[i])
			continue
		}
		i++
	}
}
