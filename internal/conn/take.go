package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// take walks one packet through its subflow and its data sequence spaces, and
// then tells the observers. The order matters: what a packet acknowledges is
// settled before what it carries is placed, and the subflow's acknowledgment
// before the DATA_ACK, so that a DATA_ACK never seems to overtake its own
// packet.
func (t *Table) take(d *direction, s *packet.Segment) {
	c := d.sub.Conn
	c.Last, d.sub.Last = max(c.Last, s.Time), max(d.sub.Last, s.Time)
	if s.Have&(packet.Outgoing|packet.Incoming) != 0 {
		c.vantage.sawCooked(s, d.from)
	}
	p := &t.pkt
	p.reset(s, d)
	if s.RareLen > 0 || s.Flags&packet.SYN != 0 || c.Kind != Multipath {
		t.signals(p)
	}
	news := false
	if s.Have&packet.HasDSS != 0 && c.Kind == Multipath {
		p.AckAt, p.DataAck, news = p.dir.acked.ReadAck(&s.DSS)
	}
	t.flow(p, news)
	if c.Kind == Multipath && !p.TCP.Sent.Stray {
		t.dataLevel(p, news)
	}
	for _, o := range c.watchers {
		o.Packet(p)
	}
	t.after(p)
}

// signals takes what a packet says of the connection itself.
func (t *Table) signals(p *Packet) {
	s := p.Seg
	if p.Conn.Kind != Multipath && s.Have&packet.HasDSS != 0 && s.Flags&packet.SYN == 0 {
		t.unseenGrant(p)
	}
	if s.Flags&packet.SYN != 0 || s.RareLen > 0 {
		t.options(p)
	}
}

// flow is take's part for the subflow as a TCP connection.
func (t *Table) flow(p *Packet, news bool) {
	sub := p.Sub
	open := sub.ThirdACK != 0
	sub.Flow.Packet(p.Seg, p.From, news, &p.TCP)
	if p.TCP.Sent.Shut {
		p.event(EventZeroWindow, "the window that host "+p.From.String()+" offers closed")
	}
	if !open && sub.ThirdACK != 0 {
		p.Conn.vantage.sawHandshake(&sub.Flow)
		t.thirdPacket(p)
	}
}

// dataLevel is take's part for connections with data sequence spaces. Most
// packets either acknowledge something or carry it.
func (t *Table) dataLevel(p *Packet, news bool) {
	if news || p.TCP.Ack.Advanced || len(p.TCP.Ack.Covered) > 0 {
		t.acknowledge(p, news)
	}
	if s := p.Seg; s.PayloadLen > 0 || s.Have&packet.HasDSS != 0 && s.DSS.Has(mptcp.DSSMap) {
		t.enterData(p)
	}
}

// acknowledge takes what a packet says in its acknowledgments: news tells that
// its DATA_ACK is the highest so far.
func (t *Table) acknowledge(p *Packet, news bool) {
	acked, lane, now := p.dir.acked, p.dir.back, p.Seg.Time
	acked.Reset()
	if p.TCP.Ack.Advanced {
		t.unmappedAcked(p, acked, lane)
	}
	for _, r := range p.TCP.Ack.Covered {
		acked.Acked(lane, r, now)
	}
	if p.TCP.Ack.Advanced {
		acked.Forget(lane, p.Sub.Half[p.From.Other()].Una())
	}
	switch {
	case news:
		p.Advanced, p.DataAcked = acked.DataAck(p.AckAt, now)
	case p.TCP.Ack.Advanced && !p.DataAck && p.Conn.Fallback != "":
		t.ackAfterFallback(p, acked)
	}
	p.Late = acked.Pieces()
}

// enterData takes the mapping and the payload of a packet.
func (t *Table) enterData(p *Packet) {
	space, lane := p.dir.space, p.dir.lane
	space.Reset()
	if p.Seg.Have&packet.HasDSS != 0 && p.Seg.DSS.Has(mptcp.DSSMap) {
		t.announce(p, space, lane)
	}
	if p.Seg.PayloadLen > 0 {
		t.carry(p, space, lane)
	}
	p.Pieces, p.Checks = space.Pieces(), space.Checks()
	for i := range p.Checks {
		if k := &p.Checks[i]; k.Result == dss.CheckInvalid {
			p.event(EventChecksum, fmt.Sprintf("DSS checksum of the mapping at subflow sequence number %d (packet %d) fails", k.SSN, k.Packet))
		}
	}
	if len(p.Pieces) > 0 && space.Moved() {
		p.InOrder = space.InOrder(lane, p.Seg.Time)
	}
}

// carry places the payload of p.
func (t *Table) carry(p *Packet, space *dss.Space, lane *dss.Lane) {
	s := p.Seg
	unit := p.Sub.Half[p.From&1].Unit()
	covered := true
	run := dss.Payload{Unit: unit, Packet: s.Num, Time: s.Time}
	for i := range p.TCP.Sent.Parts {
		part := &p.TCP.Sent.Parts[i]
		run.Range, run.New = part.Range, part.Kind == subflow.New
		if s.Payload != nil {
			run.Bytes = captured(s.Payload, int64(part.Start-p.TCP.Sent.Range.Start), part.Len())
		}
		covered = space.Carry(lane, &run) && covered
	}
	if !covered {
		t.unmapped(p, space, lane)
	}
}

// captured returns the n octets of b from off on, or what the capture holds of
// them; never nil, for nil says that payload is not kept.
func captured(b []byte, off, n int64) []byte {
	if off >= int64(len(b)) {
		return b[:0]
	}
	return b[off:min(off+n, int64(len(b)))]
}

// after does what may change the connection's set of subflows.
func (t *Table) after(p *Packet) {
	if p.dir.acked.Ended() {
		p.Conn.settle(p.From.Other(), false)
	}
	if p.dir.space.Ended() {
		p.Conn.settle(p.From, false)
	}
	if p.Seg.Flags&(packet.RST|packet.FIN) != 0 {
		t.closing(p)
	}
	if p.Sub.Done() {
		t.end(p.Sub, "")
	}
}

// settle hands over the chunks whose lives are over.
func (c *Conn) settle(from Side, all bool) {
	if len(c.biographers) == 0 {
		c.Spaces[from&1].Settle(all, nil)
		return
	}
	c.Spaces[from&1].Settle(all, func(l *dss.Lane, k *dss.Chunk) {
		for _, o := range c.biographers {
			o.Settled(c.Subflows[l.Sub], from, k)
		}
	})
}
