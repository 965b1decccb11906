package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// OneSided describes a connection if only a few packets of one end were captured,
// without a handshake and without an acknowledgment of anything new. It holds all that
// reports need.
type OneSided struct {
	Order, ID   int                // [Conn.Order] and [Conn.ID]
	Ends        [2]packet.Endpoint // A sent the packets
	Start, Last int64              // times of the first and the latest packet, ns
	Segments    int64              // packets with data
	PureACKs    int64              // packets without data
	Bytes       int64              // bytes of data
	Vantage     Vantage            // see [Conn.Vantage]
	Why         string             // the reason for Vantage
}

// FillConn makes c the connection of f, as far as reports need it. c is empty or the
// connection of another OneSided.
func (f *OneSided) FillConn(c *Conn) {
	if len(c.Subflows) == 0 {
		c.Subflows = []*Subflow{{Conn: c, NoSYN: true, AddressID: [2]int{-1, -1}}}
		c.Subflows[0].State = subflow.Open
	}
	c.ID, c.Order, c.Start, c.Kind = f.ID, f.Order, f.Start, Multipath
	c.vantage = vantage{at: f.Vantage, why: f.Why}
	c.mappingsSeen, c.Spaces[A].Bytes = 0, f.Bytes
	if f.Segments > 0 {
		c.mappingsSeen = withoutChecksum
	}
	sub := c.Subflows[0]
	sub.Ends, sub.Start, sub.dirs[A].lastSlow = f.Ends, f.Start, f.Last
	h := &sub.Senders[A]
	h.Segments, h.CapturedSegments, h.PureACKs = f.Segments, f.Segments, f.PureACKs
}

// oneSidedFlows are the pending flows that were given up and that a [OneSided] can
// describe. Each has [Conn.Order] and [Conn.ID] already. The table makes its connection
// when another packet of it comes, or a pending flow that belongs to it.
type oneSidedFlows struct {
	list[pendingFlow]                     // in the order in which they were given up; bounded by maxHalfOpen; at the bound the oldest is reported as it is
	spare             spares[pendingFlow] // bounded by maxHalfOpen
}

func newOneSidedFlows() oneSidedFlows {
	return oneSidedFlows{list: list[pendingFlow]{links: func(pf *pendingFlow) *links[pendingFlow] { return &pf.links }}}
}

// largestSegment is the largest payload that is certainly one segment where no SYN was
// captured.
const largestSegment = 1400

// isOneSidedPart reports whether a packet may belong to a OneSided: it has a DSS and no
// other option but timestamps, and its mapping covers just its payload.
func isOneSidedPart(s *packet.Segment) bool {
	d := &s.DSS
	if s.Have&^packet.HasTimestamps != packet.HasDSS || s.OtherLen > 0 || s.NSACK > 0 || s.Window == 0 ||
		s.Flags&^(packet.PSH|packet.ECE|packet.CWR) != packet.ACK || d.Flags&(mptcp.DSSFin|mptcp.DSSChecksum) != 0 {
		return false
	}
	if s.PayloadLen == 0 {
		return !d.Has(mptcp.DSSMap)
	}
	return d.Has(mptcp.DSSMap) && uint32(d.Length) == s.PayloadLen && s.PayloadLen <= largestSegment
}

// asOneSided returns the description of a flow, and the numbers that its spaces have
// reached. ok is false if a [OneSided] cannot describe the flow.
func (pf *pendingFlow) asOneSided() (f OneSided, at [2]wireDSN, ok bool) {
	first := &pf.held[0]
	if pf.joins || len(pf.held) >= fewPackets {
		return f, at, false
	}
	f = OneSided{Ends: [2]packet.Endpoint{first.Src, first.Dst}, Start: first.Time, Last: first.Time}
	next, ack, origin := first.Seq, dataAckOf(first), seq.Wire(0)
	for i := range pf.held {
		s := &pf.held[i]
		if s.Src != first.Src || s.Seq != next || s.Ack != first.Ack || dataAckOf(s) != ack || s.Time < f.Last || !isOneSidedPart(s) {
			return f, at, false
		}
		f.Last = s.Time
		if s.PayloadLen == 0 {
			f.PureACKs++
			continue
		}
		data := wireDSN{s.DSS.DSN, s.DSS.Has(mptcp.DSSDSN8), true}
		if from := s.Seq - seq.Wire(s.DSS.SSN); f.Segments == 0 {
			origin = from
		} else if data != at[A] || from != origin {
			return f, at, false
		}
		at[A] = wireDSN{data.value + uint64(s.PayloadLen), data.wide, true}
		f.Segments++
		f.Bytes += int64(s.PayloadLen)
		next += seq.Wire(s.PayloadLen)
	}
	at[B] = ack
	return f, at, true
}

// dataAckOf returns the DATA_ACK of a packet.
func dataAckOf(s *packet.Segment) wireDSN {
	if !s.DSS.Has(mptcp.DSSAck) {
		return wireDSN{}
	}
	return wireDSN{s.DSS.DataAck, s.DSS.Has(mptcp.DSSAck8), true}
}

// keepOneSided keeps a pending flow that was given up, if it is one-sided, and reports
// whether it is. With noMatching, no flows are added to it by their numbers.
func (t *Table) keepOneSided(pf *pendingFlow, noMatching bool) bool {
	if t.clockSteps > maxClockSteps {
		return false
	}
	f, at, ok := pf.asOneSided()
	if !ok {
		return false
	}
	if t.opt.OneSided == nil {
		t.setAside(t.openPending(pf, noMatching), asOneSided)
		return true
	}
	x := &t.oneSided
	for x.n >= t.bounds.halfOpen {
		t.warn("half_open", moreHalfOpen, 0)
		t.rememberFlow(x.first.key, true, x.first.known.Order)
		t.reportOneSided(x.first)
	}
	t.removePending(pf)
	f.Order, f.ID = t.takeOrder(), t.takeID()
	f.Vantage, f.Why = (&vantage{forced: t.opt.Vantage}).conclude()
	pf.oneSided, pf.noMatching, pf.known, pf.endsAt = true, noMatching, f, at
	x.add(pf)
	t.dsnIndex.enterPending(pf)
	return true
}

// reportOneSided reports a flow as it is.
func (t *Table) reportOneSided(pf *pendingFlow) {
	t.forgetPending(pf)
	t.opt.OneSided(&pf.known)
	t.oneSided.recycle(pf)
}

// reportAllOneSided reports all one-sided flows, at the end of the capture.
func (t *Table) reportAllOneSided() {
	for t.oneSided.n > 0 {
		t.reportOneSided(t.oneSided.first)
	}
	for t.oneEnd.n > 0 {
		t.finish(t.oneEnd.first)
	}
}

// openOneSided makes the connection of a one-sided flow that turned out to be more.
func (t *Table) openOneSided(pf *pendingFlow) *Conn {
	t.makeRoom()
	return t.openPending(pf, pf.noMatching)
}

// recycle takes a flow that is not used any more.
func (x *oneSidedFlows) recycle(pf *pendingFlow) {
	if len(x.spare) < maxHalfOpen {
		*pf = pendingFlow{held: pf.held[:0]}
		x.spare = append(x.spare, pf)
	}
}
