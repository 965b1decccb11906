package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// held is a packet that waits: what matching needs of it, in a line of the cache,
// as there may be many.
type heldPacket struct {
	time         int64
	num          uint64
	seq, ack     seq.Wire
	sack         seq.Wire // left edge of the first SACK block; 0 = none
	tsval, tsecr uint32
	length       uint32
	data         uint32
	have         packet.Present
	window       uint16
	ipid         uint16
	unit         uint16
	flags        packet.Flags
	options      uint8 // octets
	rare         uint8 // of these, such as are no DSS of MPTCP
	at           End
	from         conn.Side
	probe        bool
}

// hold keeps a packet of a capture, of the sender whose half is given.
func newHeld(p *conn.Packet, at End, half *subflow.Sender) heldPacket {
	s := p.Seg
	return heldPacket{
		s.Time, s.Num, s.Seq, s.Ack, s.SACK[0].Left, s.TSVal, s.TSEcr, s.PayloadLen, dataAck(p), // there are zeros where no block is
		s.Have, s.Window, s.IPID, uint16(half.SegmentBytes()), s.Flags, s.OptLen, s.OtherLen, at, p.From, isProbe(p),
	}
}

// show fills s as far as it was kept.
func (h *heldPacket) fill(s *packet.Segment) {
	s.Time, s.Num, s.Seq, s.Ack, s.SACK[0].Left, s.TSVal, s.TSEcr = h.time, h.num, h.seq, h.ack, h.sack, h.tsval, h.tsecr
	s.PayloadLen, s.Have, s.Window, s.IPID, s.Flags, s.OptLen, s.OtherLen = h.length, h.have, h.window, h.ipid, h.flags, h.options, h.rare
}

// dataAck returns the low octets of a packet's DATA_ACK; 0 where it has none.
func dataAck(p *conn.Packet) (low uint32) {
	if p.HasDataAck {
		low = uint32(p.Seg.DSS.DataAck)
	}
	return low
}

// isProbe reports whether the octets of a packet, if any, are no part of the
// stream.
func isProbe(p *conn.Packet) bool { return p.TCP.Sent.Range.Empty() }

// stamped reports whether a packet has timestamps.
func stamped(s *packet.Segment) bool { return s.Have&packet.HasTimestamps != 0 }

// stamped reports whether the packet has timestamps.
func (h *heldPacket) stamped() bool { return h.have&packet.HasTimestamps != 0 }

func (h *heldPacket) fingerprint() [4]uint32 {
	return [4]uint32{uint32(h.seq), uint32(h.ack), h.length<<8 | uint32(h.flags), h.tsval}
}
