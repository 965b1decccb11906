package packets

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// line is what is known of one packet. It has no pointer into the packet, which is valid
// only while it is processed.
type line struct {
	conn *conn.Conn
	sub  int
	from conn.Side

	num                uint64
	time, start        int64 // of the packet, and of the connection's first packet, ns
	src, dst           packet.Endpoint
	flags              packet.Flags
	seq, ack           seq.Wire
	isn, peerISN       seq.Wire
	hasISN, hasPeerISN bool
	window             uint16
	length             uint32

	ssn        seq.Range[seq.SSN] // empty without payload, or where its position is not known
	dsn        []seq.Range[seq.DSN]
	mapping    conn.Mapping
	hasMapping bool
	marks      marks
	unsent     bool // it carries payload that was never sent before
	dataAck    seq.DSN
	hasDataAck bool
	rtt        int64
	hasRTT     bool
	checks     []dss.Check
	events     []event

	// The packets that carried repeated payload for the first time, ascending.
	retransmissionOf, reinjectionOf []uint64

	dss     mptcp.DSS
	hasDSS  bool
	other   []byte              // the other MPTCP options
	version uint8               // of the connection
	join    conn.HMAC           // verdict on the join
	addAddr conn.HMAC           // verdict on an ADD_ADDR
	icmp    bool                // an ICMP error, without a TCP header
	convert []packet.ConvertTLV // of the payload of a SYN or SYN/ACK
}

// event is an event without what the line has anyway.
type event struct {
	packet uint64
	time   int64 // ns
	sub    int   // -1 = none, or all
	from   conn.Side
	kind   conn.EventKind
	detail string
	code   conn.FallbackCode
	conn.Facts
}

// fill sets everything except what the watcher adds: original packets and events. It reuses
// the memory of the line.
func (l *line) fill(p *conn.Packet) {
	s := p.Seg
	*l = line{
		conn: p.Conn, sub: p.Sub.ID, from: p.From, num: s.Num, time: s.Time, start: p.Conn.Start, src: s.Src, dst: s.Dst,
		flags: s.Flags, seq: s.Seq, ack: s.Ack, window: s.Window, length: s.PayloadLen, marks: marksOf(p),
		dataAck: p.DataAck, hasDataAck: p.HasDataAck, rtt: p.TCP.Ack.RTT, hasRTT: p.TCP.Ack.Source != subflow.NoSample && p.Conn.ClockFault() == "",
		dss: s.DSS, hasDSS: s.Have&packet.HasDSS != 0, version: p.Conn.Version, join: p.Sub.HMAC,
		dsn: l.dsn[:0], retransmissionOf: l.retransmissionOf[:0], reinjectionOf: l.reinjectionOf[:0], checks: append(l.checks[:0], p.Checks...), events: l.events[:0], other: append(l.other[:0], s.OtherMPTCP()...),
	}
	l.unsent = unsent(p)
	l.isn, l.hasISN = p.Sub.Senders[p.From].ISN()
	l.peerISN, l.hasPeerISN = p.Sub.Senders[p.From.Other()].ISN()
	if p.HasPayload() {
		l.ssn = p.TCP.Sent.Range
	}
	for i := range p.Pieces {
		l.dsn = append(l.dsn, p.Pieces[i].Data)
	}
	if p.Mapping != nil {
		l.mapping, l.hasMapping = *p.Mapping, true
	}
	if len(l.other) > 0 {
		l.judgeOptions(p)
	}
	if f := p.Sub.FastOpen(); f != nil && s.Flags&packet.SYN != 0 && f.Convert[p.From] != nil {
		l.convert = f.Convert[p.From].TLVs
	}
}

// fillICMP does the same for an ICMP error. Its line has no TCP header.
func (l *line) fillICMP(c *conn.Conn, e *conn.Event, x event) {
	*l = line{
		conn: c, sub: e.Sub.ID, from: e.From.Other(), num: e.Packet, time: e.Time, start: c.Start, src: packet.Endpoint{Addr: e.Address.As16()}, dst: e.Sub.Ends[e.From],
		icmp: true, events: append(l.events[:0], x),
	}
}

// judgeOptions finds out the verdict on the HMAC of an ADD_ADDR, which depends on the connection.
func (l *line) judgeOptions(p *conn.Packet) {
	mptcp.Walk(l.other, func(sub mptcp.Subtype, opt []byte) bool {
		var add mptcp.AddAddr
		if sub == mptcp.SubAddAddr && mptcp.ParseAddAddr(opt, &add) == nil && add.HasHMAC() {
			l.addAddr = p.Conn.AddAddrHMAC(p.From, &add)
		}
		return true
	})
}

// unsent reports whether a packet carries payload that was never sent before. Multipath TCP tells
// that by the position in the stream of the connection; where it is not known, nothing is said.
func unsent(p *conn.Packet) bool {
	if p.Conn.Kind == conn.Multipath {
		return slices.ContainsFunc(p.Pieces, func(x dss.Piece) bool { return x.Kind == dss.First })
	}
	sent := &p.TCP.Sent
	return p.HasPayload() &&
		(len(sent.Parts) == 0 || slices.ContainsFunc(sent.Parts, func(x subflow.Part) bool { return x.Kind == subflow.New }))
}

// marks are the remarkable properties of the payload of a packet, in the order in which
// they are written.
type marks uint8

const (
	stray marks = 1 << iota
	retransmission
	reinjection
	reinjectionSame
	dataFIN
	congestion

	allMarks = congestion<<1 - 1
	// transmissions are the marks that say whether payload was sent before.
	transmissions = retransmission | reinjection | reinjectionSame
)

// markNames are the names of the marks.
var markNames = []bit[marks]{
	{stray, "stray"},
	{retransmission, "retransmission"},
	{reinjection, "reinjection"},
	{reinjectionSame, "reinjection_same_subflow"},
	{dataFIN, "data_fin"},
	{congestion, "congestion_experienced"},
}

// marksOf returns the marks of a packet.
func marksOf(p *conn.Packet) (m marks) {
	if p.TCP.Sent.Stray {
		m |= stray
	}
	for _, part := range p.TCP.Sent.Parts {
		if part.Kind == subflow.Retransmit {
			m |= retransmission
		}
	}
	for i := range p.Pieces {
		switch p.Pieces[i].Kind {
		case dss.Reinjection:
			m |= reinjection
		case dss.ReinjectedSame:
			m |= reinjectionSame
		}
	}
	if p.Mapping != nil && p.Mapping.DataFIN() {
		m |= dataFIN
	}
	if p.Seg.CE {
		m |= congestion
	}
	return m
}
