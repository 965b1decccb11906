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
	t.sinceSweep++
	if t.sinceStateCheck++; t.sinceStateCheck >= stateEvery {
		t.boundState()
	}
	if d := t.cache.lookup(s); d != nil && d.onFastPath(s) {
		t.fastPath(s, d)
		if s.Time > t.sweepAt {
			t.sweep(s.Time)
		}
	} else {
		t.slowPath(s)
	}
}

// Segments takes the packets up to the first behind a time, ns, as Segment does,
// and returns how many. Each is looked up before the one in front of it is taken:
// it comes from another processor, and is on its way meanwhile.
func (t *Table) Segments(segs []packet.Segment, until int64) (n int) {
	if t.sinceStateCheck += len(segs); t.sinceStateCheck >= stateEvery {
		t.boundState()
	}
	var next *Direction
	for n < len(segs) && segs[n].Time <= until {
		s, d := &segs[n], next
		if n++; n < len(segs) {
			next = t.cache.lookupIPv4(&segs[n])
		}
		if d == nil {
			d = t.cache.lookup(s)
		}
		t.sinceSweep++
		if d == nil || !d.onFastPath(s) {
			t.slowPath(s)
			next = nil // directions may have come or gone
		} else if t.fastPath(s, d); s.Time > t.sweepAt {
			t.sweep(s.Time)
			next = nil
		}
	}
	return n
}

// fastPath is Segment for the packets that nearly all are, but for the sweep that may be
// due behind one. Those with payload and those without have ways of their own: what is
// rare on one of them is the rule on the other.
func (t *Table) fastPath(s *packet.Segment, d *Direction) {
	p, acked := &t.pkt, d.ackedData
	p.reset(s, d)
	p.FastPath = true
	news := acked.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = acked.LastDataAck()
	if s.PayloadLen > 0 {
		if d.tcp.ExpectedData(s, &p.TCP); news || p.TCP.Ack.New {
			t.acknowledge(p, d, news)
		}
		t.placeExpected(p, d)
	} else {
		if d.tcp.ExpectedACK(s, news, &p.TCP); news || p.TCP.Ack.New {
			t.acknowledge(p, d, news)
		}
		if s.DSS.Has(mptcp.DSSMap) {
			t.placeData(p, d)
		}
	}
	d.observer.Packet(p)
	if d.ackedData.SettleDue() || d.sentData.SettleDue() {
		t.settleChunks(p)
	}
}

// process walks any packet.
func (t *Table) process(d *Direction, s *packet.Segment) {
	d.lastSlow = max(d.lastSlow, s.Time)
	p := &t.pkt
	p.reset(s, d)
	p.FastPath = false
	if t.processSignals(p) {
		t.processMPTCP(p, d)
	} else {
		t.processPlain(p, d)
	}
	d.Sub.updateFastPath()
	d.Conn.observer.Packet(p)
	t.settleChunks(p)
	if s.Flags&(packet.RST|packet.FIN) != 0 {
		t.noteClose(p)
	}
	if d.Conn.links[listHalfOpen].in && !d.Sub.halfOpen() {
		t.halfOpen.remove(d.Conn)
	}
	if d.Sub.Done() {
		t.subflowEnded(d.Sub, "")
	}
}

// processMPTCP is the walk of a packet of Multipath TCP.
func (t *Table) processMPTCP(p *Packet, d *Direction) {
	s := p.Seg
	news := d.ackedData.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = d.ackedData.LastDataAck()
	d.tcp.Packet(s, news, &p.TCP)
	if t.subflowEvents(p) { // a stray tells nothing
		d.ackedData.ForgetDataAck()
		return
	}
	if news || p.TCP.Ack.New {
		t.acknowledge(p, d, news)
	}
	if s.PayloadLen > 0 || s.DSS.Has(mptcp.DSSMap) { // without a DSS there are no flags of one
		t.placeData(p, d)
	}
}

// processPlain is the walk of a packet of a connection that is not known to be one of
// Multipath TCP.
func (t *Table) processPlain(p *Packet, d *Direction) {
	p.DataAck, p.HasDataAck = 0, false
	d.tcp.Packet(p.Seg, false, &p.TCP)
	t.subflowEvents(p)
	p.NewAck = p.TCP.Ack.New
}

// processSignals takes what a packet says of the connection itself, and reports
// whether that is one of Multipath TCP.
func (t *Table) processSignals(p *Packet) (multipath bool) {
	s, c := p.Seg, p.Conn
	if s.Have&(packet.Outgoing|packet.Incoming) != 0 {
		c.vantage.sawCooked(s, p.From)
	}
	if c.Kind != Multipath && s.Have&packet.HasDSS != 0 && s.Flags&packet.SYN == 0 {
		t.confirmUnseen(p)
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

// subflowEvents takes what the subflow found out about a packet other than usual, and
// reports whether it is a stray.
func (t *Table) subflowEvents(p *Packet) (stray bool) {
	sub := p.Sub
	if p.TCP.Sent.WindowClosed {
		p.emit(EventZeroWindow, "the window that host "+p.From.String()+" offers closed")
	}
	if !sub.thirdSeen && sub.ThirdACK != 0 {
		sub.thirdSeen = true
		p.Conn.vantage.sawHandshake(&sub.Flow)
		t.thirdPacket(p)
	}
	return p.TCP.Sent.Stray
}

// settleChunks hands over the chunks whose lives a packet may have ended.
func (t *Table) settleChunks(p *Packet) {
	if p.ackedData.SettleDue() {
		p.Conn.settleChunks(p.From.Other(), false)
	}
	if p.sentData.SettleDue() {
		p.Conn.settleChunks(p.From, false)
	}
}

// settleChunks hands over the chunks whose lives are over.
func (c *Conn) settleChunks(from Side, all bool) {
	if len(c.chunkObservers) == 0 {
		c.Spaces[from&1].Settle(all, nil)
		return
	}
	c.Spaces[from&1].Settle(all, func(l *dss.SubflowSpace, run []dss.Chunk) {
		for _, o := range c.chunkObservers {
			o.Settled(c.Subflows[l.ID], from, run)
		}
	})
}
