package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// event is one captured packet of a subflow, as far as matching needs it: a
// line of the cache.
type event struct {
	time         int64
	num          uint64
	lane         *lane // that it belongs to; nil while that is not known
	seq, ack     seq.Wire
	sack         seq.Wire // left edge of the first SACK block; 0 = none
	tsval, tsecr uint32
	length       uint32
	data         uint32 // low octets of the DATA_ACK
	unit         uint16 // octets of a segment
	ipid         uint16
	window       uint16
	flags        packet.Flags
	options      shape
	at           End // the capture that shows it
	from         conn.Side
	hasTS        bool
	probe        bool // its octets, if any, are no part of the stream
}

// read takes a packet, of the sender whose half is given. The event is filled where it stays: made elsewhere and
// copied it costs three times as much. Nothing in it is a branch, as what comes
// next cannot be foreseen.
func (e *event) read(p *conn.Packet, half *subflow.Half) {
	s := p.Seg
	e.time, e.num, e.seq, e.ack = s.Time, s.Num, s.Seq, s.Ack
	e.tsval, e.tsecr, e.hasTS = s.TSVal, s.TSEcr, s.Have&packet.HasTimestamps != 0
	e.length, e.ipid, e.window, e.flags, e.options, e.from = s.PayloadLen, s.IPID, s.Window, s.Flags, shapeOf(s), p.From
	data := uint32(s.DSS.DataAck)
	if !p.DataAck {
		data = 0
	}
	e.sack, e.data = s.SACK[0].Left, data // there are zeros where no block is
	e.unit = uint16(half.Unit())
	e.probe = p.TCP.Sent.Range.Empty()
}

func (e *event) fingerprint() [4]uint32 {
	return [4]uint32{uint32(e.seq), uint32(e.ack), e.length<<8 | uint32(e.flags), e.tsval}
}
