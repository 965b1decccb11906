package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Segment processes the next packet of the capture: its subflow, then its data sequence
// spaces, then the observers. The order matters: acknowledgments come before the
// payload, and the subflow's acknowledgment before the DATA_ACK, so that a DATA_ACK
// never seems to be earlier than the ACK in the same packet.
func (t *Table) Segment(s *packet.Segment) {
	t.arrive(s)
	if d := t.cache.lookup(s); d != nil && d.onFastPath(s) {
		t.fast[0].fastPath(s, d)
	} else {
		t.slowPath(s)
	}
	if s.Time > t.sweepAt {
		t.sweep()
	}
}

// arrive notes, for each packet in the order of the capture, what decides when connections are
// closed early or swept. It must not depend on when the packet is processed. It reports whether
// it may have closed connections.
func (t *Table) arrive(s *packet.Segment) (closed bool) {
	t.sinceSweep++
	t.now = max(t.now, s.Time)
	t.stateRoom -= packetState*int64(1+s.PayloadLen/2048) + int64(len(s.Payload)) // it may be several segments, and payload may wait for a mapping
	if t.stateRoom > 0 {
		return false
	}
	t.boundState()
	return true
}

// Segments processes the packets up to the time until, ns, as Segment does, and returns
// how many. It looks each packet up before it processes the one before, because the
// packet has to be loaded from another processor's cache. This saves 2 % of the time.
func (t *Table) Segments(segs []packet.Segment, until int64) (n int) {
	p, next := &t.fast[0], (*SubflowDir)(nil)
	for n < len(segs) && segs[n].Time <= until {
		s, d := &segs[n], next
		if t.arrive(s) {
			d = nil
		}
		if n++; n < len(segs) {
			next = t.cache.lookup(&segs[n])
		}
		if d == nil {
			d = t.cache.lookup(s)
		}
		if d == nil || !d.onFastPath(s) {
			t.slowPath(s)
			next = nil // directions may have been added or removed
		} else {
			p.fastPath(s, d)
		}
		if s.Time > t.sweepAt {
			t.sweep()
			next = nil
		}
	}
	return n
}

// fastPath makes p the packet s, which direction d sent, and processes it. It is Segment for
// nearly all packets, without the sweep that may be due after one. It changes only p and the
// connection, so that packets of different connections may be processed at the same time.
// Packets with payload and packets without it need different steps, so each kind has its own
// code.
func (p *Packet) fastPath(s *packet.Segment, d *SubflowDir) {
	if d.isSuper(s) {
		p.inSegments(s, d, func(part *packet.Segment) { p.fastPath(part, d) })
		return
	}
	// What only other packets set stays clear in p.
	p.reset(s, d)
	d.Conn.tellOfGap(d)
	acked := d.ackedData
	dataAck, has, advances := acked.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = dataAck, has
	if s.PayloadLen > 0 {
		if d.tcp.ExpectedData(s, &p.TCP); advances || p.TCP.Ack.New {
			p.takeGaps()
			p.acknowledge(d, advances)
		}
		p.placeExpected(d)
	} else {
		if d.tcp.ExpectedACK(s, advances, &p.TCP); advances || p.TCP.Ack.New {
			p.takeGaps()
			p.acknowledge(d, advances)
		}
		if s.DSS.Has(mptcp.DSSMap) {
			p.placeData(d)
		}
	}
	d.observer.Packet(p)
	d.ackedData.EndPacket()
	d.sentData.EndPacket()
}

// process processes any packet.
func (t *Table) process(d *SubflowDir, s *packet.Segment) {
	if d.isSuper(s) {
		t.pkt.inSegments(s, d, func(part *packet.Segment) { t.process(d, part) })
		return
	}
	d.lastSlow = max(d.lastSlow, s.Time)
	if s.Have&packet.Untimed != 0 {
		d.Conn.noteUntimed(s)
	}
	p := &t.pkt
	p.reset(s, d)
	d.Conn.tellOfGap(d)
	if t.processSignals(p) {
		t.processMPTCP(p, d)
	} else {
		t.processPlain(p, d)
	}
	d.Sub.updateFastPath()
	d.observer.Packet(p)
	if s.Have&packet.ClockChanged != 0 {
		d.Conn.clockFaultOf(s)
	}
	d.ackedData.EndPacket()
	d.sentData.EndPacket()
	if s.Flags&(packet.RST|packet.FIN) != 0 {
		t.noteClose(p)
	}
	if d.Conn.links[listHalfOpen].in && !d.Sub.halfOpen() {
		t.halfOpenList(d.Conn).remove(d.Conn)
	}
	if d.Sub.Done() {
		t.subflowEnded(d.Sub, "")
	}
	t.updateSlot(d.Conn)
}

// processMPTCP processes a packet of a Multipath TCP connection.
func (t *Table) processMPTCP(p *Packet, d *SubflowDir) {
	s := p.Seg
	dataAck, has, advances := d.ackedData.ReadDataAck(&s.DSS)
	p.DataAck, p.HasDataAck = dataAck, has
	d.tcp.Packet(s, advances, &p.TCP)
	p.takeGaps()
	if t.subflowEvents(p) { // a stray is ignored
		return
	}
	if advances || p.TCP.Ack.New {
		p.acknowledge(d, advances)
	}
	if (s.PayloadLen > 0 || s.DSS.Has(mptcp.DSSMap)) && !p.answersConvert() { // without a DSS its flags are not set
		p.placeData(d)
	}
}

// processPlain processes a packet of a connection that is not known to be Multipath
// TCP.
func (t *Table) processPlain(p *Packet, d *SubflowDir) {
	p.DataAck, p.HasDataAck = 0, false
	d.tcp.Packet(p.Seg, false, &p.TCP)
	p.takeGaps()
	t.subflowEvents(p)
	p.NewAck = p.TCP.Ack.New
}

// processSignals takes what a packet says about its connection, and reports whether
// that is Multipath TCP.
func (t *Table) processSignals(p *Packet) (multipath bool) {
	s, c := p.Seg, p.Conn
	if p.marks = s.Have & (packet.Outgoing | packet.Incoming); p.marks != 0 {
		c.vantage.sawCooked(s, p.From)
	}
	if c.Kind != Multipath && s.Have&packet.HasDSS != 0 && s.Flags&packet.SYN == 0 {
		t.confirmUnseen(p)
	}
	if s.Flags&packet.SYN != 0 || p.Sub.fastOpen != nil {
		p.Sub.noteFastOpen(p)
	}
	if s.Flags&packet.SYN != 0 || s.OtherLen > 0 || s.Have&packet.OptionsMalformed != 0 {
		t.options(p)
	}
	if c.Kind == Multipath && p.Sub.fastOpen != nil {
		t.placeSYN(p)
	}
	return c.Kind == Multipath
}

// subflowEvents reports what the subflow found out about a packet, and whether it is a
// stray.
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
