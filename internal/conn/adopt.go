package conn

// matchPending looks for the connection that a pending flow belongs to, and adds the
// flow to it. It reports whether it found one.
func (t *Table) matchPending(pf *pendingFlow) bool {
	if pf.joins {
		if owner, ok := t.ownerOf(pf.token); ok {
			t.replay(t.attachPending(pf, owner.conn, owner.side.Other()))
			return true
		}
	}
	x := t.search(pf)
	other, side := t.withToken(pf), A
	switch {
	case x.best != nil:
		t.attachMatched(pf, x.best, x.side[0])
		return true
	case other == nil:
		other, side = x.other, x.side[1]
	}
	if other != nil {
		t.mergePending(other, pf, side)
	}
	return other != nil
}

// attachMatched adds a pending flow to the connection that the search found, if that
// has room for it. If the search found a one-sided flow, this becomes a connection
// first.
func (t *Table) attachMatched(pf *pendingFlow, to *dsnEntry, side Side) {
	c := to.conn
	if c == nil {
		c = t.openOneSided(to.pending)
	}
	t.admit(c)
	switch {
	case !c.isFullFor(pf):
		t.replay(t.attachPending(pf, c, side))
	default:
		t.warn("headless_limit", "a connection has more subflows without a captured handshake than are followed: the further ones were taken for connections of their own", pf.held[0].Num)
		if !t.keepOneSided(pf, true) {
			t.openPending(pf, true)
		}
	}
}

// mergePending makes one connection of two pending flows. side is the sender of the
// first packet of pf if A is the sender of the first packet of other.
func (t *Table) mergePending(other, pf *pendingFlow, side Side) {
	first, second := other, pf // first becomes a connection, which second joins
	if !pf.joins && (first.joins || pf.held[0].Time < first.held[0].Time) {
		first, second = second, first
	}
	c := t.newConnOf(first, min(first.held[0].Time, second.held[0].Time))
	same := second.key // its source is the host that is the source of first.key
	if side == B {
		same = same.reverse()
	}
	from := roleOfTwo(first.key, same, firstSender(&first.held[0]))
	t.replay(t.attachPending(first, c, from), t.attachPending(second, c, side^from))
}

// newConnOf makes the connection that a pending flow begins.
func (t *Table) newConnOf(pf *pendingFlow, at int64) *Conn {
	var c *Conn
	if pf.oneSided { // it has its numbers already
		c = t.numbered(at, pf.known.Order)
		c.Kind, c.ID = Multipath, pf.known.ID
	} else {
		c = t.newConn(at)
		t.confirmMultipath(c)
	}
	c.Version = pf.version()
	return c
}

// pendingMember is a pending flow that became a subflow; side sent its first packet.
type pendingMember struct {
	*pendingFlow
	sub  *Subflow
	side Side
}

// attachPending makes a pending flow a subflow of c; side sent its first packet. The
// caller must replay the packets that the flow holds.
func (t *Table) attachPending(pf *pendingFlow, c *Conn, side Side) pendingMember {
	first := &pf.held[0]
	known := len(c.Subflows) > 0
	t.forgetPending(pf)
	sub := t.attachFlow(pf.key, first, side, c).Sub
	if known {
		c.emit(Event{Time: first.Time, Sub: sub, From: side, Packet: first.Num, Kind: EventMerged, Detail: pf.proof(c, side)})
	}
	if pf.joins && !c.Hosts[side.Other()].HasToken {
		t.learnToken(c, side.Other(), pf.token)
	}
	return pendingMember{pf, sub, side}
}

// replay processes the held packets of flows, in the order of the capture.
func (t *Table) replay(members ...pendingMember) {
	for {
		var next *pendingMember
		for i := range members {
			if m := &members[i]; len(m.held) > 0 && (next == nil || m.held[0].Num < next.held[0].Num) {
				next = m
			}
		}
		if next == nil {
			break
		}
		s := &next.held[0]
		next.held = next.held[1:]
		from := next.side
		if next.key.src != s.Src {
			from = from.Other()
		}
		t.process(&next.sub.dirs[from], s)
	}
	for i := range members {
		t.dsnIndex.enter(members[i].sub.Conn)
	}
}

// proof says why the flow belongs to c.
func (pf *pendingFlow) proof(c *Conn, side Side) string {
	if !pf.joins {
		return "subflow without a captured handshake belongs here by its data sequence numbers"
	}
	if c.Hosts[side.Other()].HasToken {
		return "subflow belongs here by the token of its MP_JOIN, which was seen before its connection"
	}
	return "subflow belongs here by its data sequence numbers; no key for the token of its MP_JOIN was captured"
}
