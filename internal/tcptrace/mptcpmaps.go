package tcptrace

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// mapping is a mapping as a packet announced it.
type mapping struct {
	start    seq.Wire
	length   uint32 // with the DATA_FIN
	at       int64  // when it was announced first, us
	sub      int    // on which subflow that was
	carriers uint64 // subflows that carried it, a bit for each
	times    int    // number of these subflows
}

func (m *mapping) end() seq.Wire { return m.start + seq.Wire(m.length) }

// mappings is a list of mappings in the order of their starts, which all differ.
type mappings struct {
	list    []mapping
	dropped int // how many were removed because of maxMappings
}

// maxMappings bounds a list. If it has more mappings, the lower half is removed: a mapping that
// is announced again is more likely among the highest, which are not acknowledged yet.
const maxMappings = 1 << 14

// add adds a mapping unless the list has one with the same start. It returns the mapping in the
// list. The pointer is valid until the next call.
func (l *mappings) add(m mapping) (x *mapping, added bool) {
	i := len(l.list)
	for i > 0 && m.start.Less(l.list[i-1].start) {
		i--
	}
	if i > 0 && l.list[i-1].start == m.start {
		return &l.list[i-1], false
	}
	l.list = slices.Insert(l.list, i, m)
	if len(l.list) <= maxMappings {
		return &l.list[i], true
	}
	n := min(maxMappings/2, i) // not the new one
	l.dropped += n
	l.list = slices.Delete(l.list, 0, n)
	return &l.list[i-n], true
}

// removeAcked removes the lowest mappings that end at ack or before it, and calls f with
// each.
func (l *mappings) removeAcked(ack seq.Wire, f func(m *mapping)) {
	n := 0
	for n < len(l.list) && !ack.Less(l.list[n].end()) {
		f(&l.list[n])
		n++
	}
	l.list = slices.Delete(l.list, 0, n)
}

// flight returns the bytes from the start of the first mapping to the end of the last.
func (l *mappings) flight() (n uint32, any bool) {
	if len(l.list) == 0 {
		return 0, false
	}
	return uint32(l.list[len(l.list)-1].end() - l.list[0].start), true
}

// tcpRange is the range of sequence numbers of the payload of a packet with a DSS option. It
// may be empty.
type tcpRange struct{ start, end seq.Wire }

// maxRanges bounds the ranges of a subflow that are not acknowledged.
const maxRanges = 1 << 14

// packet counts the TCP header of a packet with a DSS option. mptcptrace ignores the headers of
// other packets.
func (s *mptcpSubflow) packet(p *conn.Packet) {
	me, peer := &s.sides[p.From], &s.sides[p.From.Other()]
	me.send(tcpRange{p.Seg.Seq, p.Seg.Seq + seq.Wire(p.Seg.PayloadLen)}, peer)
	if p.Seg.Flags&packet.ACK == 0 {
		return
	}
	ack := p.Seg.Ack
	if !me.hasAck || me.ack.Less(ack) {
		me.hasAck, me.ack = true, ack
	}
	n := 0
	for n < len(peer.unacked) && !ack.Less(peer.unacked[n].end) {
		n++
	}
	peer.unacked = slices.Delete(peer.unacked, 0, n)
}

// send adds a range unless it is acknowledged or there is one with the same start.
func (s *mptcpSubflowSide) send(x tcpRange, peer *mptcpSubflowSide) {
	if peer.hasAck && x.start.Less(peer.ack) {
		return
	}
	i := len(s.unacked)
	for i > 0 && x.start.Less(s.unacked[i-1].start) {
		i--
	}
	if i > 0 && s.unacked[i-1].start == x.start {
		return
	}
	s.unacked = slices.Insert(s.unacked, i, x)
	if len(s.unacked) > maxRanges {
		s.unacked = slices.Delete(s.unacked, 0, maxRanges/2)
	}
}

// flight returns the bytes of the subflow that are not acknowledged.
func (s *mptcpSubflowSide) flight() (n uint32, any bool) {
	if len(s.unacked) == 0 {
		return 0, false
	}
	return uint32(s.unacked[len(s.unacked)-1].end - s.unacked[0].start), true
}
