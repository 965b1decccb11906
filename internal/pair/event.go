package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// event is one captured packet of a subflow, and what matching needs of it that
// its header does not say.
type event struct {
	*packet.Segment
	unit  int64     // octets of a segment
	data  uint32    // low octets of the DATA_ACK
	at    End       // the capture that shows it
	from  conn.Side // who sent it
	probe bool      // its octets, if any, are no part of the stream
}

// read takes a packet of a capture, of the sender whose half is given.
func (e *event) read(p *conn.Packet, at End, half *subflow.Half) {
	e.Segment, e.unit, e.at, e.from, e.probe = p.Seg, half.Unit(), at, p.From, p.TCP.Sent.Range.Empty()
	if e.data = 0; p.DataAck {
		e.data = uint32(p.Seg.DSS.DataAck)
	}
}

// stamped reports whether the packet has timestamps.
func (e *event) stamped() bool { return e.Have&packet.HasTimestamps != 0 }

// held is an event that waits: a line of the cache, as there may be many.
type held struct {
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

// hold keeps what the segment of an event does not for long.
func (e *event) hold() held {
	return held{
		e.Time, e.Num, e.Seq, e.Ack, e.SACK[0].Left, e.TSVal, e.TSEcr, e.PayloadLen, e.data, // there are zeros where no block is
		e.Have, e.Window, e.IPID, uint16(e.unit), e.Flags, e.OptLen, e.RareLen, e.at, e.from, e.probe,
	}
}

// event returns what was held, with a segment that is given for it.
func (h *held) event(s *packet.Segment) event {
	s.Time, s.Num, s.Seq, s.Ack, s.SACK[0].Left, s.TSVal, s.TSEcr = h.time, h.num, h.seq, h.ack, h.sack, h.tsval, h.tsecr
	s.PayloadLen, s.Have, s.Window, s.IPID, s.Flags, s.OptLen, s.RareLen = h.length, h.have, h.window, h.ipid, h.flags, h.options, h.rare
	return event{s, int64(h.unit), h.data, h.at, h.from, h.probe}
}

// stamped reports whether the packet has timestamps.
func (h *held) stamped() bool { return h.have&packet.HasTimestamps != 0 }

func (h *held) fingerprint() [4]uint32 {
	return [4]uint32{uint32(h.seq), uint32(h.ack), h.length<<8 | uint32(h.flags), h.tsval}
}
