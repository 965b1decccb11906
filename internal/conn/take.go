package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Segment takes the next packet of the capture. A usual one walks through its
// subflow and its data sequence spaces, and then the observers are told. The order
// matters: what a packet acknowledges is settled before what it carries is placed,
// and the subflow's acknowledgment before the DATA_ACK, so that a DATA_ACK never
// seems to overtake its own packet.
func (t *Table) Segment(s *packet.Segment) {
	t.since++
	if t.passed++; t.passed >= stateEvery {
		t.boundState()
	}
	if d := t.cache.recentOfAny(s); d != nil && d.isUsual(s) {
		t.usual(s, d)
		if s.Time > t.sweepAt {
			t.sweep(s.Time)
		}
	} else {
		t.unusual(s)
	}
}

// Segments takes the packets up to the first behind a time, ns, as Segment does,
// and returns how many. Each is looked up before the one in front of it is taken:
// it comes from another processor, and is on its way meanwhile.
func (t *Table) Segments(segs []packet.Segment, until int64) (n int) {
	if t.passed += len(segs); t.passed >= stateEvery {
		t.boundState()
	}
	var next *Direction
	for n < len(segs) && segs[n].Time <= until {
		s, d := &segs[n], next
		if n++; n < len(segs) {
			next = t.cache.recent(&segs[n])
		}
		if d == nil {
			d = t.cache.recentOfAny(s)
		}
		t.since++
		if d == nil || !d.isUsual(s) {
			t.unusual(s)
			next = nil // directions may have come or gone
		} else if t.usual(s, d); s.Time > t.sweepAt {
			t.sweep(s.Time)
			next = nil
		}
	}
	return n
}

// usual is Segment for the packets that nearly all are, but for the sweep that may be
// due behind one. Those with payload and those without have ways of their own: what is
// rare on one of them is the rule on the other.
func (t *Table) usual(s *packet.Segment, d *Direction) {
	p, acked := &t.pkt, d.acked
	p.reset(s, d)
	p.FastPath = true
	news := acked.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = acked.LastDataAck()
	if s.PayloadLen > 0 {
		if d.tcp.Carries(s, &p.TCP); news || p.TCP.Ack.New {
			t.acknowledge(p, d, news)
		}
		t.enterData(p, d)
	} else {
		if d.tcp.Answers(s, news, &p.TCP); news || p.TCP.Ack.New {
			t.acknowledge(p, d, news)
		}
		if s.DSS.Has(mptcp.DSSMap) {
			t.enterAnyData(p, d)
		}
	}
	d.watcher.Packet(p)
	if d.acked.SettleDue() || d.space.SettleDue() {
		t.settle(p)
	}
}

// take walks any packet.
func (t *Table) take(d *Direction, s *packet.Segment) {
	d.last = max(d.last, s.Time)
	p := &t.pkt
	p.reset(s, d)
	p.FastPath = false
	if t.signals(p) {
		t.general(p, d)
	} else {
		t.plain(p, d)
	}
	d.Sub.steady()
	d.Conn.watcher.Packet(p)
	t.settle(p)
	if s.Flags&(packet.RST|packet.FIN) != 0 {
		t.closing(p)
	}
	if d.Conn.rolled[allHalfOpen].in && !d.Sub.halfOpen() {
		t.halfs.remove(d.Conn)
	}
	if d.Sub.Done() {
		t.end(d.Sub, "")
	}
}

// general is the walk of a packet of Multipath TCP.
func (t *Table) general(p *Packet, d *Direction) {
	s := p.Seg
	news := d.acked.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = d.acked.LastDataAck()
	d.tcp.Packet(s, news, &p.TCP)
	if t.turns(p) { // a stray tells nothing
		d.acked.ForgetDataAck()
		return
	}
	if news || p.TCP.Ack.New {
		t.acknowledge(p, d, news)
	}
	if s.PayloadLen > 0 || s.DSS.Has(mptcp.DSSMap) { // without a DSS there are no flags of one
		t.enterAnyData(p, d)
	}
}

// plain is the walk of a packet of a connection that is not known to be one of
// Multipath TCP.
func (t *Table) plain(p *Packet, d *Direction) {
	p.DataAck, p.HasDataAck = 0, false
	d.tcp.Packet(p.Seg, false, &p.TCP)
	t.turns(p)
	p.NewAck = p.TCP.Ack.New
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
	if s.Flags&packet.SYN != 0 || p.Sub.fastOpen != nil {
		p.Sub.fastOpening(p)
	}
	if s.Flags&packet.SYN != 0 || s.OtherLen > 0 {
		t.options(p)
	}
	if c.Kind == Multipath && p.Sub.fastOpen != nil {
		t.placeSYN(p)
	}
	return c.Kind == Multipath
}

// turns takes what the subflow found out about a packet other than usual, and
// reports whether it is a stray.
func (t *Table) turns(p *Packet) (stray bool) {
	sub := p.Sub
	if p.TCP.Sent.WindowClosed {
		p.event(EventZeroWindow, "the window that host "+p.From.String()+" offers closed")
	}
	if !sub.opened && sub.ThirdACK != 0 {
		sub.opened = true
		p.Conn.vantage.sawHandshake(&sub.Flow)
		t.thirdPacket(p)
	}
	return p.TCP.Sent.Stray
}

// settle hands over the chunks whose lives a packet may have ended.
func (t *Table) settle(p *Packet) {
	if p.acked.SettleDue() {
		p.Conn.settle(p.From.Other(), false)
	}
	if p.space.SettleDue() {
		p.Conn.settle(p.From, false)
	}
}

// settle hands over the chunks whose lives are over.
func (c *Conn) settle(from Side, all bool) {
	if len(c.biographers) == 0 {
		c.Spaces[from&1].Settle(all, nil)
		return
	}
	c.Spaces[from&1].Settle(all, func(l *dss.SubflowSpace, run []dss.Chunk) {
		for _, o := range c.biographers {
			o.Settled(c.Subflows[l.ID], from, run)
		}
	})
}
