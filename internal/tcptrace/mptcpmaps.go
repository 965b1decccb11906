package tcptrace

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// mapping is a mapping as a packet announced it, or the payload of a packet, which has only start
// and length.
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

// maxMappings bounds a list. Before it has more mappings, the lower half is removed: a mapping that
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
	if n := maxMappings / 2; len(l.list) == maxMappings {
		l.list = slices.Delete(l.list, 0, n)
		l.dropped += n
		i = max(0, i-n)
	}
	l.list = slices.Insert(l.list, i, m)
	return &l.list[i], true
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

// packet counts the TCP header of a packet with a DSS option: its payload, which may be empty, and
// its acknowledgment. mptcptrace ignores the headers of other packets.
func (s *mptcpSubflow) packet(p *conn.Packet) {
	me, peer := &s.sides[p.From], &s.sides[p.From.Other()]
	if !peer.hasAck || !p.Seg.Seq.Less(peer.ack) {
		me.unacked.add(mapping{start: p.Seg.Seq, length: p.Seg.PayloadLen})
	}
	if p.Seg.Flags&packet.ACK == 0 {
		return
	}
	if ack := p.Seg.Ack; !me.hasAck || me.ack.Less(ack) {
		me.hasAck, me.ack = true, ack
	}
	peer.unacked.removeAcked(p.Seg.Ack, func(*mapping) {})
}
