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
	d.last = max(d.last, s.Time)
	p := &t.pkt
	p.reset(s, d)
	if !d.isUsual(s) && !t.signals(p) {
		t.plain(p, d)
		return
	}
	d.acked.Hear(&s.DSS)
	p.AckAt, p.DataAck = d.acked.Heard()
	news := p.DataAck && d.acked.IsNews(p.AckAt)
	p.Fresh = false
	if d.tcp.Packet(s, news, &p.TCP) || !t.turns(p) { // a stray tells nothing
		if news || p.TCP.Ack.News {
			p.Fresh = true
			t.acknowledge(p, d, news)
		}
		if s.PayloadLen > 0 || s.DSS.Has(mptcp.DSSMap) { // without a DSS there are no flags of one
			t.enterData(p, d)
		}
	}
	d.conn.watcher.Packet(p)
	if d.acked.Ended() || d.space.Ended() || s.Flags&(packet.RST|packet.FIN) != 0 || d.sub.Done() {
		t.after(p)
	}
}

// plain is the rest of take for a packet of a connection that is not known to be
// one of Multipath TCP.
func (t *Table) plain(p *Packet, d *direction) {
	p.AckAt, p.DataAck = 0, false
	if !d.tcp.Packet(p.Seg, false, &p.TCP) {
		t.turns(p)
	}
	p.Fresh = p.TCP.Ack.News
	d.conn.watcher.Packet(p)
	t.after(p)
}

// isUsual reports whether a packet says nothing of the connection itself but a
// DSS, and that is known to be one of Multipath TCP.
func (d *direction) isUsual(s *packet.Segment) bool {
	return d.conn.Kind == Multipath && s.Have&(packet.HasDSS|packet.Outgoing|packet.Incoming) == packet.HasDSS &&
		s.RareLen == 0 && s.Flags&packet.SYN == 0
}

// signals takes what a packet says of the connection itself, and reports
// whether that is one of Multipath TCP.
func (t *Table) signals(p *Packet) (multipath bool) {
	s, c := p.Seg, p.Conn
	if s.Have&(packet.Outgoing|packet.Incoming) != 0 {
		c.vantage.sawCooked(s, p.From)
	}
	if c.Kind != Multipath && s.Have&packet.HasDSS != 0 && s.Flags&packet.SYN == 0 {
		t.unseenGrant(p)
	}
	if s.Flags&packet.SYN != 0 || s.RareLen > 0 {
		t.options(p)
	}
	return c.Kind == Multipath
}

// turns takes what the subflow found out about a packet other than usual, and
// reports whether it is a stray.
func (t *Table) turns(p *Packet) (stray bool) {
	sub := p.Sub
	if p.TCP.Sent.Shut {
		p.event(EventZeroWindow, "the window that host "+p.From.String()+" offers closed")
	}
	if !sub.opened && sub.ThirdACK != 0 {
		sub.opened = true
		p.Conn.vantage.sawHandshake(&sub.Flow)
		t.thirdPacket(p)
	}
	return p.TCP.Sent.Stray
}

// acknowledge takes what a packet says in its acknowledgments: news tells that
// its DATA_ACK is the highest so far.
func (t *Table) acknowledge(p *Packet, d *direction, news bool) {
	acked, lane, now := d.acked, d.back, p.Seg.Time
	if p.TCP.Ack.Advanced && lane.Waits() {
		t.unmappedAcked(p, acked, lane)
	}
	for _, r := range p.TCP.Ack.Covered {
		acked.Acked(lane, r, now)
	}
	if p.TCP.Ack.Advanced {
		acked.Forget(lane, d.tcp.Peer().Una())
	}
	switch {
	case news:
		p.Advanced = acked.DataAck(p.AckAt, now, &p.Found)
	case p.TCP.Ack.Advanced && !p.DataAck && d.conn.Fallback != "":
		t.ackAfterFallback(p, acked)
	}
}

// enterData takes the mapping and the payload of a packet. Most repeat the
// latest mapping, and go on under it.
func (t *Table) enterData(p *Packet, d *direction) {
	s, space := p.Seg, d.space
	if s.DSS.Has(mptcp.DSSMap) {
		if sameMapping(&d.announced.wire, &s.DSS) {
			p.Mapping = &d.announced.Mapping
		} else {
			t.announce(p, space, d.lane)
		}
	}
	if r := p.TCP.Sent.Range; !r.Empty() {
		if len(p.TCP.Sent.Parts) > 0 || s.Payload != nil || !space.Continue(d.lane, r, d.tcp.Me().Unit(), s.Num, s.Time, &p.Found) {
			t.carry(p, space, d.lane)
		}
	}
	if len(p.Checks) > 0 {
		t.checked(p)
	}
	if len(p.Pieces) > 0 && space.Moved() {
		space.InOrder(d.lane, s.Time, &p.Found)
	}
}

// checked takes checksums that were settled.
func (t *Table) checked(p *Packet) {
	for i := range p.Checks {
		if k := &p.Checks[i]; k.Result == dss.CheckInvalid {
			p.event(EventChecksum, fmt.Sprintf("DSS checksum of the mapping at subflow sequence number %d (packet %d) fails", k.SSN, k.Packet))
		}
	}
}

// carry places the payload of p, whatever it is.
func (t *Table) carry(p *Packet, space *dss.Space, lane *dss.Lane) {
	s, sent := p.Seg, &p.TCP.Sent
	covered := true
	run := dss.Payload{Unit: p.dir.tcp.Me().Unit(), Packet: s.Num, Time: s.Time}
	for i := range max(1, len(sent.Parts)) {
		if run.Range, run.New = sent.Range, true; len(sent.Parts) > 0 {
			run.Range, run.New = sent.Parts[i].Range, sent.Parts[i].Kind == subflow.New
		}
		if s.Payload != nil {
			run.Bytes = captured(s.Payload, int64(run.Start-sent.Range.Start), run.Len())
		}
		covered = space.Carry(lane, &run, &p.Found) && covered
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
