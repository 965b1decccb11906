package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// take walks one packet through its subflow and its data sequence spaces, and
// then tells the observers. The order matters: what a packet acknowledges is
// settled before what it carries is placed, and the subflow's acknowledgment
// before the DATA_ACK, so that a DATA_ACK never seems to overtake its own
// packet.
func (t *Table) take(sub *Subflow, from Side, s *packet.Segment) {
	c := sub.Conn
	c.Last, sub.Last = max(c.Last, s.Time), max(sub.Last, s.Time)
	c.vantage.sawCooked(s, from)
	p := &t.pkt
	p.reset(s, sub, from)
	c.Spaces[A].Reset()
	c.Spaces[B].Reset()

	if s.Flags&packet.SYN != 0 || s.RareLen > 0 || s.Have&(packet.BadMPTCP|packet.UnknownMPTCP) != 0 {
		t.options(sub, from, s)
	}
	var space *dss.Space
	if c.Kind == Multipath {
		space = &c.Spaces[from.Other()]
		if s.Have&packet.HasDSS != 0 && s.DSS.Has(mptcp.DSSAck) {
			p.AckAt, p.DataAck = space.Position(s.DSS.DataAck, s.DSS.Has(mptcp.DSSAck8))
		}
	}
	before, shut := sub.ThirdACK, sub.Half[from].ZeroWindows
	sub.Flow.Packet(s, from, p.DataAck && t.isNews(space, p.AckAt), &p.TCP)
	if before == 0 && sub.ThirdACK != 0 {
		c.vantage.sawHandshake(&sub.Flow)
		t.thirdPacket(sub, from, s)
	}
	if sub.Half[from].ZeroWindows != shut {
		c.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventZeroWindow, Detail: "the window that host " + from.String() + " offers closed"})
	}
	if c.Kind == Multipath && !p.TCP.Sent.Stray {
		t.dataLevel(p, space)
	}
	for _, o := range c.watchers {
		o.Packet(p)
	}
	t.after(p)
}

func (t *Table) isNews(sp *dss.Space, at seq.DSN) bool {
	ack, ok := sp.Ack()
	return !ok || at > ack
}

// dataLevel is take's part for connections with data sequence spaces.
func (t *Table) dataLevel(p *Packet, acked *dss.Space) {
	c, sub, s := p.Conn, p.Sub, p.Seg
	for _, r := range p.TCP.Ack.Covered {
		acked.Acked(sub.Lanes[p.From.Other()], r, s.Time)
	}
	if p.DataAck {
		p.Advanced, p.DataAcked = acked.DataAck(p.AckAt, s.Time)
	} else if c.Fallback != "" && p.TCP.Ack.Advanced {
		t.ackAfterFallback(p, acked)
	}
	space, lane := &c.Spaces[p.From], sub.Lanes[p.From]
	if s.Have&packet.HasDSS != 0 && s.DSS.Has(mptcp.DSSMap) {
		t.announce(p, space, lane)
	}
	if s.PayloadLen > 0 {
		t.carry(p, space, lane)
	}
	if p.TCP.Ack.Advanced {
		t.unmappedAcked(p)
		sub.Lanes[p.From.Other()].Forget(sub.Half[p.From.Other()].Una())
	}
	p.Pieces, p.Checks, p.Late = space.Pieces(), space.Checks(), acked.Pieces()
	for i := range p.Checks {
		if k := &p.Checks[i]; k.Result == dss.CheckInvalid {
			t.checksumFailed(p, k)
		}
	}
	if len(p.Pieces) > 0 {
		t.inOrder = space.InOrder(s.Time, t.inOrder[:0])
		p.InOrder = t.inOrder
	}
}

// announce takes the mapping of a DSS option.
func (t *Table) announce(p *Packet, space *dss.Space, lane *dss.Lane) {
	s := p.Seg
	d := &s.DSS
	if last := &p.Sub.announced[p.From]; last.same(d) {
		t.mapping = last.Mapping
		p.Mapping = &t.mapping
		return
	}
	dsn, ok := space.Position(d.DSN, d.Has(mptcp.DSSDSN8))
	if !ok {
		return
	}
	half := &p.Sub.Half[p.From]
	payload := int64(d.Length)
	m := &t.mapping
	*m = Mapping{SSN: -1, DSN: dsn, Wire: d.DSN, Octets: 4, Length: payload, Checksum: -1, Infinite: d.Length == 0}
	if d.Has(mptcp.DSSDSN8) {
		m.Octets = 8
	}
	if d.Has(mptcp.DSSChecksum) {
		m.Checksum = int32(d.Checksum)
	}
	p.Mapping = m
	if d.Has(mptcp.DSSFin) && payload > 0 {
		payload--
		m.DataFIN, m.Length = true, payload
		if space.DataFIN(dsn + seq.DSN(payload)) {
			p.Conn.event(Event{Time: s.Time, Sub: p.Sub, From: p.From, Packet: s.Num, Kind: EventDataFIN, Detail: "end of data"})
		}
	}
	if d.Has(mptcp.DSSFin) && payload == 0 {
		m.SSN = seq.SSN(d.SSN)
		return // a DATA_FIN on its own maps nothing (RFC 8684, Section 3.3.3)
	}
	if _, fromSYN := half.ISN(); !fromSYN && !t.locate(p, lane, payload) {
		return
	}
	t.enter(p, space, lane, payload)
}

// announcement is the latest mapping of one direction of a subflow. Linux
// repeats a mapping of up to 64 KiB in every segment that it covers, so most
// options say again what the one before said.
type announcement struct {
	wire mptcp.DSS
	Mapping
	known bool
}

// same reports whether option d repeats the latest mapping.
func (a *announcement) same(d *mptcp.DSS) bool {
	return a.known && a.wire.DSN == d.DSN && a.wire.SSN == d.SSN && a.wire.Length == d.Length &&
		(a.wire.Flags^d.Flags)&(mptcp.DSSMap|mptcp.DSSFin|mptcp.DSSDSN8|mptcp.DSSChecksum) == 0
}

// locate finds the subflow's origin from its mappings where its SYN was not
// captured.
func (t *Table) locate(p *Packet, lane *dss.Lane, payload int64) bool {
	half := &p.Sub.Half[p.From]
	origin, ok := lane.Locate(p.Seg.DSS.SSN, payload, p.TCP.Sent.Range)
	if !ok {
		return false
	}
	isn, _ := half.ISN()
	delta := half.Rebase(isn - seq.Wire(origin))
	lane.Shift(delta)
	p.TCP.Sent.Range.Start += delta
	p.TCP.Sent.Range.End += delta
	for i := range p.TCP.Sent.Parts {
		p.TCP.Sent.Parts[i].Start += delta
		p.TCP.Sent.Parts[i].End += delta
	}
	return true
}

// enter gives the mapping of p to its lane.
func (t *Table) enter(p *Packet, space *dss.Space, lane *dss.Lane, payload int64) {
	s, m := p.Seg, &t.mapping
	d := &s.DSS
	half := &p.Sub.Half[p.From]
	m.SSN = seq.Unwrap(seq.Wire(d.SSN), 0, half.Next())
	mapping := dss.Mapping{
		SSN: seq.Range[seq.SSN]{Start: m.SSN, End: m.SSN + seq.SSN(payload)}, DSN: m.DSN, Packet: s.Num, Infinite: m.Infinite,
	}
	var want *dss.Checksum
	if d.Has(mptcp.DSSChecksum) && !m.Infinite {
		if abs, wide := space.Absolute(m.DSN); wide {
			want = &dss.Checksum{DSN: abs, SSN: d.SSN, Length: d.Length, Value: d.Checksum}
		}
	}
	m.Verdict, m.Pending = space.Map(lane, mapping, want)
	if m.Verdict == dss.Contradicts {
		p.Conn.event(Event{Time: s.Time, Sub: p.Sub, From: p.From, Packet: s.Num, Kind: EventConflict,
			Detail: "mapping gives other data to subflow positions that were mapped before; the earlier mapping is kept"})
	}
	if !m.Infinite && m.Verdict != dss.Contradicts && m.Checksum < 0 {
		p.Sub.announced[p.From] = announcement{*d, *m, true}
		p.Sub.announced[p.From].Verdict = dss.Repeated
	}
	if m.Infinite && p.Conn.Fallback == "" {
		p.Conn.event(Event{Time: s.Time, Sub: p.Sub, From: p.From, Packet: s.Num, Kind: EventInfinite, Detail: "infinite mapping"})
		t.fallBack(p, "infinite mapping announced by "+p.From.String())
	}
}

// carry places the payload of p.
func (t *Table) carry(p *Packet, space *dss.Space, lane *dss.Lane) {
	s := p.Seg
	p.Sub.moved = true
	unit := p.Sub.Half[p.From].Unit()
	whole := true
	for _, part := range p.TCP.Sent.Parts {
		run := dss.Payload{Range: part.Range, New: part.Kind == subflow.New, Unit: unit, Packet: s.Num, Time: s.Time}
		if s.Payload != nil {
			run.Bytes = part0(s.Payload, int64(part.Start-p.TCP.Sent.Range.Start), part.Len())
		}
		if !space.Carry(lane, run) {
			whole = false
		}
	}
	if !whole {
		t.unmapped(p, space, lane)
	}
}

// part0 returns the n octets of b from off on, or what the capture holds of
// them; never nil, for nil says that payload is not kept.
func part0(b []byte, off, n int64) []byte {
	if off >= int64(len(b)) {
		return b[:0]
	}
	return b[off:min(off+n, int64(len(b)))]
}

// after does what may change the connection's set of subflows.
func (t *Table) after(p *Packet) {
	c, sub := p.Conn, p.Sub
	if other := p.From.Other(); len(p.DataAcked)+len(p.TCP.Ack.Covered) > 0 || c.Spaces[other].Crowded() {
		c.settle(other, false) // nothing else completes a chunk's life for good
	}
	if c.Spaces[p.From].Crowded() {
		c.settle(p.From, false)
	}
	if s := p.Seg; s.Flags&(packet.RST|packet.FIN) != 0 {
		t.closing(p)
	}
	if sub.Done() && !sub.ended {
		t.end(sub, "")
	}
}

// settle hands over the chunks whose lives are over.
func (c *Conn) settle(from Side, all bool) {
	c.Spaces[from].Settle(all, func(l *dss.Lane, k *dss.Chunk) {
		for _, o := range c.watchers {
			o.Settled(c.Subflows[l.Sub], from, k)
		}
	})
}
