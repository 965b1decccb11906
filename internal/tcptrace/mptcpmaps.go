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
	times    int    // how many these are
}

func (m *mapping) end() seq.Wire { return m.start + seq.Wire(m.length) }

// mappings is a list in the order of their starts, each of which is in it once.
type mappings struct {
	list    []mapping
	dropped int // those that went for lack of room
}

// maxMappings bounds a list. Those that begin lowest make room: what is announced
// again is what was not acknowledged yet.
const maxMappings = 1 << 14

// add enters a mapping unless one with its start is there. It returns the one that
// is in the list now, until the next call.
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

// strip removes the mappings at the front that end at ack or before it.
func (l *mappings) strip(ack seq.Wire, f func(m *mapping)) {
	n := 0
	for n < len(l.list) && !ack.Less(l.list[n].end()) {
		f(&l.list[n])
		n++
	}
	l.list = slices.Delete(l.list, 0, n)
}

// extent returns the bytes from the start of the first to the end of the last.
func (l *mappings) extent() (n uint32, any bool) {
	if len(l.list) == 0 {
		return 0, false
	}
	return uint32(l.list[len(l.list)-1].end() - l.list[0].start), true
}

// tcpSpan is what a packet with a DSS occupies of a subflow's sequence space, be it
// nothing.
type tcpSpan struct{ start, end seq.Wire }

// maxSpans bounds the spans of a subflow that are not acknowledged.
const maxSpans = 1 << 14

// packet takes the TCP header of a packet with a DSS: mptcptrace looks at no
// other ones.
func (s *mptcpSub) packet(p *conn.Packet) {
	me, peer := &s.sides[p.From], &s.sides[p.From.Other()]
	me.send(tcpSpan{p.Seg.Seq, p.Seg.Seq + seq.Wire(p.Seg.PayloadLen)}, peer)
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

// send enters a span that is not acknowledged unless one with its start is there.
func (s *mptcpSubSide) send(x tcpSpan, peer *mptcpSubSide) {
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
	if len(s.unacked) > maxSpans {
		s.unacked = slices.Delete(s.unacked, 0, maxSpans/2)
	}
}

// flight returns the bytes of the subflow that are not acknowledged.
func (s *mptcpSubSide) flight() (n uint32, any bool) {
	if len(s.unacked) == 0 {
		return 0, false
	}
	return uint32(s.unacked[len(s.unacked)-1].end - s.unacked[0].start), true
}
