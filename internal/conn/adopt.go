package conn

// matchPending gives an orphan to the connection that it is proved to belong to, if
// there is one.
func (t *Table) matchPending(o *pendingFlow) bool {
	if o.join != nil {
		if owner, ok := t.ownerOf(o.join.Token); ok {
			t.replay(t.attachPending(o, owner.conn, owner.side.Other()))
			return true
		}
	}
	x := t.search(o)
	other, side := t.withToken(o), A
	switch {
	case x.best != nil:
		t.attachMatched(o, x.best, x.side[0])
		return true
	case other == nil:
		other, side = x.other, x.side[1]
	}
	if other != nil {
		t.mergePending(other, o, side)
	}
	return other != nil
}

// attachMatched gives an orphan to the connection or fragment that it is proved to belong to, if
// that has room for it.
func (t *Table) attachMatched(o *pendingFlow, to *dsnEntry, side Side) {
	c := to.conn
	if c == nil {
		c = t.openOneSided(to.orphan)
	}
	switch {
	case !c.isFull(o):
		t.replay(t.attachPending(o, c, side))
	default:
		t.warn("headless_limit", "subflows without a captured handshake that belong to a connection with as many as are followed were taken for connections of their own", o.held[0].Num)
		if !t.keepOneSided(o, true) {
			t.openPending(o, true)
		}
	}
}

// mergePending makes a connection of two orphans, of which side sends the first
// packet of o if that of other comes from A.
func (t *Table) mergePending(other, o *pendingFlow, side Side) {
	first, second := other, o // one becomes a connection, which the other joins
	if o.join == nil && (first.join != nil || o.held[0].Time < first.held[0].Time) {
		first, second = second, first
	}
	c := t.newConnOf(first, min(first.held[0].Time, second.held[0].Time))
	from := firstSender(&first.held[0])
	t.replay(t.attachPending(first, c, from), t.attachPending(second, c, side^from))
}

// newConnOf makes the connection that an orphan begins.
func (t *Table) newConnOf(o *pendingFlow, at int64) *Conn {
	c := t.newConn(at)
	t.confirmMultipath(c)
	if o.oneSided { // it has its numbers
		c.Order, c.ID = o.known.Order, o.known.ID
		t.nextSeq--
		t.nextID--
	}
	c.Version = o.version()
	return c
}

// pendingMember is an orphan that belongs to a connection, to which side sends its
// first packet.
type pendingMember struct {
	*pendingFlow
	sub  *Subflow
	side Side
}

// attachPending makes an orphan a subflow of c, the first packet of which is sent by
// side. Its packets are still to be played.
func (t *Table) attachPending(o *pendingFlow, c *Conn, side Side) pendingMember {
	first := &o.held[0]
	known := len(c.Subflows) > 0
	t.forgetPending(o)
	sub := t.attachFlow(o.key, first, side, c).Sub
	if known {
		c.emit(Event{Time: first.Time, Sub: sub, From: side, Packet: first.Num, Kind: EventMerged, Detail: o.proof(c, side)})
	}
	if o.join != nil && !c.Hosts[side.Other()].HasToken {
		t.learnToken(c, side.Other(), o.join.Token)
	}
	return pendingMember{o, sub, side}
}

// replay takes the packets that waited, in the order of the capture.
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

// proof says why the orphan belongs to c.
func (o *pendingFlow) proof(c *Conn, side Side) string {
	if o.join == nil {
		return "subflow without a captured handshake belongs here by its data sequence numbers"
	}
	if c.Hosts[side.Other()].HasToken {
		return "subflow belongs here by the token of its MP_JOIN, which was seen before its connection"
	}
	return "subflow whose MP_JOIN has a token of which no key was captured belongs here by its data sequence numbers"
}
