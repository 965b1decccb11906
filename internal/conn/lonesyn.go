package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// LoneSYN describes a connection if only one SYN without data was captured. It holds
// all that reports need.
type LoneSYN struct {
	Packet  uint64             // number of the SYN
	Time    int64              // of the SYN, ns
	Until   int64              // [Conn.Until]
	Ends    [2]packet.Endpoint // by side
	Order   int                // [Conn.Order]
	ID      int                // [Conn.ID]: -1 except for a join to an unknown connection
	Token   uint32             // in the MP_JOIN of such a join
	Offer   Offer              // MP_CAPABLE of the SYN
	Vantage Vantage            // set by the user
	Cooked  packet.Present     // Outgoing, Incoming or neither
	Joined  bool               // the SYN has an MP_JOIN
	Backup  bool               // flag B of the MP_JOIN
	Address uint8              // address id of the MP_JOIN
}

// FillConn makes c the connection of l, as far as reports need it. c is empty or the
// connection of another lone SYN.
func (l *LoneSYN) FillConn(c *Conn) {
	if len(c.Subflows) == 0 {
		sub := new(Subflow)
		for side := range sub.Spaces {
			sub.Spaces[side] = c.Spaces[side].NewSubflow(0)
		}
		c.Subflows = []*Subflow{sub}
	}
	sub := c.Subflows[0]
	c.ID, c.Order, c.Start, c.Until, c.Kind, c.AskedMPTCP = l.ID, l.Order, l.Time, l.Until, Plain, l.Offer.Seen
	c.Version, c.Offers[OfferSYN], c.Hosts = min(l.Offer.Version, 1), l.Offer, [2]Host{}
	c.vantage = vantage{forced: l.Vantage}
	if l.Cooked != 0 {
		c.vantage.sawCooked(&packet.Segment{Have: l.Cooked}, A)
	}
	*sub = Subflow{Conn: c, Spaces: sub.Spaces, Ends: l.Ends, Start: l.Time, AddressID: [2]int{-1, -1}}
	sub.SYN, sub.dirs[A].lastSlow = l.Time, l.Time
	switch {
	case l.Offer.Seen:
		c.Kind = Requested
	case l.ID >= 0:
		c.Kind, c.Version = Multipath, 1
		c.Hosts[B].Token, c.Hosts[B].HasToken = l.Token, true
	}
	if l.Joined {
		sub.Joined, sub.HMAC = true, HMACUnchecked
		sub.AddressID[A], sub.Backup, sub.BackupBy[A] = int(l.Address), l.Backup, tristateOf(l.Backup)
	}
}

// maxWaitingSYNs bounds the SYNs that wait for a second packet of their 4-tuple: 1.5 MB, or 150 MB
// where modules get a connection for each. At the bound the oldest is reported as it is.
const maxWaitingSYNs = 1 << 12

// waitingSYN is a SYN that waits for a second packet.
type waitingSYN struct {
	syn       packet.Segment
	order, id int // of the connection that it begins; see [LoneSYN]
	token     uint32
	hasToken  bool // token is known: from a key in the SYN, or from a join to an unknown connection
	links     links[waitingSYN]
}

// waitingSYNs are the SYNs that wait, in the order of arrival.
type waitingSYNs struct {
	list[waitingSYN]                     // bounded by maxWaitingSYNs
	at               map[key]*waitingSYN // the same, by the ordered 4-tuple
	spare            spares[waitingSYN]  // bounded by maxWaitingSYNs
	out              LoneSYN             // scratch memory of reportLoneSYN
}

func newWaitingSYNs() waitingSYNs {
	return waitingSYNs{
		list: list[waitingSYN]{links: func(l *waitingSYN) *links[waitingSYN] { return &l.links }},
		at:   make(map[key]*waitingSYN),
	}
}

// mayWaitAsSYN reports whether a packet is a SYN that may wait for a second packet.
func (t *Table) mayWaitAsSYN(s *packet.Segment) bool {
	const notLone = packet.HasDSS | packet.OptionsCut | packet.OptionsMalformed | packet.BadMPTCP | packet.OddMPTCP | packet.ClockChanged
	if t.clockSteps > maxClockSteps || s.Have&notLone != 0 || s.PayloadLen > 0 || s.FastOpen.Form != packet.NoFastOpen ||
		s.Flags&(packet.SYN|packet.ACK|packet.FIN|packet.RST) != packet.SYN {
		return false
	}
	opt := s.OtherMPTCP()
	if len(opt) == 0 {
		return true
	}
	if len(opt) != int(opt[1]) { // more than one option
		return false
	}
	var o mptcp.Capable
	switch mptcp.SubtypeOf(opt) {
	case mptcp.SubCapable:
		return mptcp.ParseCapable(opt, &o) == nil && !o.Has(mptcp.CapableHasReceiverKey)
	case mptcp.SubJoin:
		return opt[1] == uint8(mptcp.JoinSYN)
	}
	return false
}

// keepSYN lets a SYN wait for a second packet of its 4-tuple. It gives its connection a
// number; id is the connection's ID if it is known to be Multipath TCP, otherwise -1.
// joins says that the SYN has an MP_JOIN, with this token.
func (t *Table) keepSYN(s *packet.Segment, id int, joins bool, token uint32) {
	x := &t.loneSYNs
	if x.n >= t.bounds.waitingSYNs {
		t.warn("half_open", moreHalfOpen, 0)
		t.reportLoneSYN(x.first)
	}
	l := x.spare.take()
	l.syn, l.order, l.id, l.hasToken = *s, t.takeOrder(), id, false
	l.syn.Payload = nil
	x.add(l)
	x.at[key{s.Src, s.Dst}.ordered()] = l
	var o mptcp.Capable
	switch {
	case joins:
		l.token, l.hasToken = token, true
	case s.OtherLen > 0 && mptcp.ParseCapable(s.OtherMPTCP(), &o) == nil && o.Has(mptcp.CapableHasSenderKey):
		l.token, l.hasToken = mptcp.Token(o.Version, o.SenderKey), true
	}
	if l.hasToken {
		t.tokens[l.token] = tokenOwner{lone: l}
	}
}

// keepJoinSYN checks whether a pending flow is only the SYN of a join. If so, it lets
// that wait like other SYNs, and returns true.
func (t *Table) keepJoinSYN(pf *pendingFlow) bool {
	if !pf.joins || len(pf.held) > 1 || !t.mayWaitAsSYN(&pf.held[0]) {
		return false
	}
	if t.opt.LoneSYN == nil {
		t.setAside(t.openPending(pf, false), asLoneSYN)
		return true
	}
	t.forgetPending(pf)
	t.keepSYN(&pf.held[0], t.takeID(), true, pf.token)
	t.oneSided.recycle(pf)
	return true
}

// remove takes a SYN out of the list. Its memory may be used again afterwards.
func (x *waitingSYNs) remove(l *waitingSYN) {
	x.list.remove(l)
	delete(x.at, key{l.syn.Src, l.syn.Dst}.ordered())
}

// find returns the SYN with the 4-tuple k, nil where there is none.
func (x *waitingSYNs) find(k key) *waitingSYN {
	if x.n == 0 {
		return nil
	}
	return x.at[k.ordered()]
}

// forgetSYNToken removes the token of a SYN that does not wait any more. It reports
// whether the token still belonged to the SYN: another connection with the same token
// may have taken it.
func (t *Table) forgetSYNToken(l *waitingSYN) (own bool) {
	if own = l.hasToken && t.tokens[l.token].lone == l; own {
		delete(t.tokens, l.token)
	}
	return own
}

// reportLoneSYN reports a SYN that nothing followed.
func (t *Table) reportLoneSYN(l *waitingSYN) {
	t.loneSYNs.remove(l)
	t.forgetSYNToken(l)
	s := &l.syn
	out := &t.loneSYNs.out
	*out = LoneSYN{
		Packet: s.Num, Time: s.Time, Until: t.now, Ends: [2]packet.Endpoint{s.Src, s.Dst}, Order: l.order, ID: l.id,
		Vantage: t.opt.Vantage, Cooked: s.Have & (packet.Outgoing | packet.Incoming),
	}
	if join, ok := joinOf(s); ok {
		out.Joined, out.Backup, out.Address, out.Token = true, join.Backup, join.AddressID, join.Token
	} else {
		out.Offer = offerOfSYN(s)
	}
	t.loneSYNs.spare = append(t.loneSYNs.spare, l)
	t.opt.LoneSYN(out)
}

// openWaiting makes the connection of a SYN, now that a packet follows it.
func (t *Table) openWaiting(l *waitingSYN) {
	t.loneSYNs.remove(l)
	s, k := &l.syn, key{l.syn.Src, l.syn.Dst}
	own := t.forgetSYNToken(l)
	other, taken := t.tokens[l.token]
	t.makeRoom()
	c := t.numbered(s.Time, l.order)
	sub := c.newSubflow(s)
	switch o := offerOfSYN(s); {
	case l.id >= 0:
		c.Kind, c.ID, c.Version = Multipath, l.id, 1
		t.learnToken(c, B, l.token)
	case o.Seen:
		c.requestMPTCP(o)
	}
	t.process(t.attach(c, sub, k, A), s)
	t.dsnIndex.enter(c)
	switch {
	case own || !l.hasToken:
	case taken:
		t.tokens[l.token] = other
	default:
		delete(t.tokens, l.token)
	}
	t.loneSYNs.spare = append(t.loneSYNs.spare, l)
}

// openAllWaiting makes the connections of all waiting SYNs, at most maxHalfOpen,
// because a clock step concerns all open connections.
func (t *Table) openAllWaiting() {
	for t.loneSYNs.n > t.bounds.halfOpen {
		t.warn("half_open", moreHalfOpen, 0)
		t.reportLoneSYN(t.loneSYNs.first)
	}
	for t.loneSYNs.first != nil {
		t.openWaiting(t.loneSYNs.first)
	}
	t.finishFirst(&t.lone, t.bounds.halfOpen)
	for t.lone.first != nil {
		t.admit(t.lone.first)
	}
}

// ownerOf returns the connection with a token, and the side whose token it is.
func (t *Table) ownerOf(token uint32) (tokenOwner, bool) {
	owner, ok := t.tokens[token]
	if owner.lone != nil {
		t.openWaiting(owner.lone)
		owner, ok = t.tokens[token]
	} else if ok {
		t.admit(owner.conn)
	}
	return owner, ok
}
