package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// OneSided is a connection of which a few packets of one end were captured, and neither a
// handshake nor anything new that they acknowledge: all that there is to report of it.
type OneSided struct {
	Order, ID   int                // as [Conn.Order] and [Conn.ID]
	Ends        [2]packet.Endpoint // A sent the packets
	Start, Last int64              // times of the first packet and the last, ns
	Segments    int64              // packets with data
	PureACKs    int64              // the others
	Bytes       int64              // of data
	Vantage     Vantage            // as [Conn.Vantage]
	Why         string             // what says so
}

// oneSidedFlows are the orphans that were given up and are a [OneSided]: each has the numbers
// of the connection that it began, which is made when another packet of it comes, or an
// orphan that belongs to it.
type oneSidedFlows struct {
	first, last *pendingFlow   // in the order in which they were given up
	n           int            // bounded by maxHalfOpen; at the bound the oldest is reported as it stands
	spare       []*pendingFlow // to be used again; bounded by maxHalfOpen
}

// largestSegment is how much payload is one segment for sure, where no SYN told.
const largestSegment = 1400

// isOneSidedPart reports whether a packet may be one of a fragment: it carries a DSS and no other
// option but timestamps, and what it carries is what it maps.
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

// asOneSided returns what there is to report of an orphan, and the numbers that its spaces
// have come to; ok is false where only a connection tells.
func (o *pendingFlow) asOneSided() (f OneSided, at [2]wireDSN, ok bool) {
	first := &o.held[0]
	if o.join != nil || len(o.held) >= fewPackets {
		return f, at, false
	}
	f = OneSided{Ends: [2]packet.Endpoint{first.Src, first.Dst}, Start: first.Time, Last: first.Time}
	next, ack, origin := first.Seq, dataAckOf(first), seq.Wire(0)
	for i := range o.held {
		s := &o.held[i]
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

// keepOneSided makes a fragment of an orphan that was given up, and reports whether it is one.
// Of one apart it is not asked what else its numbers prove to belong to it.
func (t *Table) keepOneSided(o *pendingFlow, apart bool) bool {
	if t.opt.OneSided == nil || t.clockSteps > maxClockSteps {
		return false
	}
	f, at, ok := o.asOneSided()
	if !ok {
		return false
	}
	x := &t.oneSided
	for x.n >= maxHalfOpen {
		t.warn("half_open", moreHalfOpen, 0)
		t.timeWait.add(x.first.key, t.now, true)
		t.reportOneSided(x.first)
	}
	t.removePending(o)
	f.Order, f.ID = t.nextSeq, t.nextID
	f.Vantage, f.Why = (&vantage{forced: t.opt.Vantage}).conclude()
	t.nextSeq++
	t.nextID++
	o.oneSided, o.noMatching, o.known, o.endsAt = true, apart, f, at
	if o.prev = x.last; o.prev != nil {
		o.prev.next = o
	} else {
		x.first = o
	}
	x.last = o
	x.n++
	t.dsnIndex.enterPending(o)
	return true
}

// remove takes a fragment from the list.
func (x *oneSidedFlows) remove(o *pendingFlow) {
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		x.first = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	} else {
		x.last = o.prev
	}
	o.prev, o.next = nil, nil
	x.n--
}

// reportOneSided reports a fragment as it stands.
func (t *Table) reportOneSided(o *pendingFlow) {
	t.forgetPending(o)
	t.opt.OneSided(&o.known)
	t.oneSided.recycle(o)
}

// reportAllOneSided reports all fragments, at the end of the capture.
func (t *Table) reportAllOneSided() {
	for t.oneSided.n > 0 {
		t.reportOneSided(t.oneSided.first)
	}
}

// openOneSided makes the connection of a fragment, which turned out to be more.
func (t *Table) openOneSided(o *pendingFlow) *Conn {
	t.makeRoom()
	return t.openPending(o, o.noMatching)
}

// recycle takes an orphan that nobody knows of, to be used again.
func (x *oneSidedFlows) recycle(o *pendingFlow) {
	if len(x.spare) < maxHalfOpen {
		*o = pendingFlow{held: o.held[:0]}
		x.spare = append(x.spare, o)
	}
}

// newPending returns an orphan that holds nothing.
func (x *oneSidedFlows) newPending() *pendingFlow {
	n := len(x.spare)
	if n == 0 {
		return new(pendingFlow)
	}
	o := x.spare[n-1]
	x.spare = x.spare[:n-1]
	return o
}
