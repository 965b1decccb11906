package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Late is a packet without payload that comes when its connection has left the table: a
// FIN that comes again, or an acknowledgment of all that the other end sent. An end that
// misses the last acknowledgment repeats its FIN for minutes.
type Late struct {
	Seg   *packet.Segment
	Order int   // [Conn.Order]
	ID    int   // [Conn.ID]
	Sub   int   // [Subflow.ID]
	From  Side  // the end that sent it
	Pause int64 // since the packet before of this end, ns
}

// LateModule is a [Module] that counts packets that come late.
type LateModule interface {
	Module
	// Late takes a packet, and reports whether it counts the packet. The argument is
	// valid during the call.
	Late(l *Late) bool
}

// DefaultMaxLate is the default of [Options.MaxLate]. A [LateModule] keeps some 300 bytes of
// a subflow with late packets: 20 MB.
const DefaultMaxLate = 1 << 16

// closedEnds is how a subflow ended that both ends closed with a FIN: all that is needed to
// recognise its late packets. Pairs are by side.
type closedEnds struct {
	end    [2]seq.Wire // the sequence number behind the FIN
	last   [2]int64    // time of the latest packet, ns
	id     int32       // [Conn.ID]
	sub    int32
	closed bool
	late   bool // it counts in [Table.lateSubflows]
	bFirst bool // B is the source of the ordered 4-tuple
}

// noteClosed notes how a subflow ended, if both ends closed it. Its 4-tuple was added before.
func (r *timeWait) noteClosed(k key, s *Subflow) {
	if s.State != subflow.Closed {
		return
	}
	f := &r.list[r.known[k.ordered()]]
	f.closedEnds = closedEnds{id: int32(s.Conn.ID), sub: int32(s.ID), closed: true, bFirst: k.ordered() != key{s.Ends[A], s.Ends[B]}}
	for side := range s.Senders {
		h := &s.Senders[side]
		fin, _ := h.FIN()
		isn, _ := h.ISN()
		f.end[side], f.last[side] = isn+seq.Wire(fin)+1, h.Last()
	}
}

// takeLate gives a packet of a connection that has ended to the modules, and reports
// whether one of them counts it.
func (t *Table) takeLate(k key, s *packet.Segment) (counted bool) {
	if len(t.lateModules) == 0 {
		return false
	}
	f := &t.timeWait.list[t.timeWait.known[k.ordered()]]
	from := A
	if (f.src == k.src) == f.bFirst {
		from = B
	}
	if !f.isLate(s, from) {
		return false
	}
	if !f.late {
		if t.lateSubflows >= t.opt.MaxLate {
			return false
		}
		f.late = true
		t.lateSubflows++
	}
	l := &t.latePacket
	*l = Late{Seg: s, Order: f.order, ID: int(f.id), Sub: int(f.sub), From: from, Pause: max(0, s.Time-f.last[from])}
	f.last[from] = max(f.last[from], s.Time)
	for _, m := range t.lateModules {
		counted = m.Late(l) || counted
	}
	return counted
}

// isLate reports whether a packet of an end is a [Late] one.
func (c *closedEnds) isLate(s *packet.Segment, from Side) bool {
	if !c.closed || s.PayloadLen > 0 || s.OtherLen > 0 || s.DSS.Has(mptcp.DSSMap) {
		return false
	}
	switch s.Flags & (packet.SYN | packet.FIN | packet.RST | packet.ACK) {
	case packet.FIN | packet.ACK:
		return s.Seq+1 == c.end[from]
	case packet.ACK:
		return s.Seq == c.end[from] && s.Ack == c.end[from.Other()]
	}
	return false
}

// modulesForLate returns those modules that count late packets.
func modulesForLate(all []Module) (late []LateModule) {
	for _, m := range all {
		if l, ok := m.(LateModule); ok {
			late = append(late, l)
		}
	}
	return late
}
