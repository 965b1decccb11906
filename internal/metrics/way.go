package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// way is what the packets that one host sends over one subflow bear on, so
// that none of it has to be looked up for each of them.
type way struct {
	sub  *Sub
	out  *SubDir // of the data that they carry; nil like back before there is anything to measure
	back *SubDir // of the data that they acknowledge
	talk *Talk   // nil before the first packet behind the SYNs
	from conn.Side

	settled  bool // [Connection.rare] has nothing to do but for what a packet says itself
	talks    bool // so it is, and the latest packet had an MPTCP option
	followed bool // as [follows] says of all but strays
	// scale is, in its upper half, by how much the window field of the next packet
	// is to be shifted, at most 14 (RFC 7323, Section 2.3); negative where that is
	// not known.
	scale int32
}

// way returns that of a packet.
func (m *Connection) way(p *conn.Packet) *way { return &m.Subs[p.DirIndex>>1].ways[p.DirIndex&1] }

// lead sets the ways of a new subflow.
func (s *Sub) lead() {
	for side := range s.ways {
		s.ways[side] = way{sub: s, from: conn.Side(side), scale: -1 << 16}
	}
}

// shift returns by how much the window fields of a host are to be shifted; -1
// where that is not known. Scaling needs both SYNs to offer it (RFC 7323,
// Section 2.2).
func (s *Sub) shift(from conn.Side) int32 {
	me, peer := &s.Sub.Senders[from&1], &s.Sub.Senders[from.Other()]
	shift, ok := me.WScale()
	if _, both := peer.WScale(); !both {
		shift = 0
	}
	_, fromSYN := me.ISN()
	switch {
	case !fromSYN || !ok && me.SYNs == 0:
		return -1
	case shift == 0 && (s.OffersCut(conn.A) != "" || s.OffersCut(conn.B) != ""):
		return -1
	}
	return int32(shift)
}

// due takes what the time of a packet brings: the connection's first payload
// fixes the capture's place, and cells of the grids end.
func (m *Connection) due(p *conn.Packet, now int64) {
	m.k.look(p)
	if !m.fixed && p.Seg.PayloadLen > 0 && p.Seg.Flags&packet.SYN == 0 { // that of a SYN passes before the place can be known
		m.place()
	}
	for _, d := range m.dirs {
		if d != nil && now >= d.cellEnd {
			d.tick(now)
		}
	}
	if now >= m.tickAt && follows(p) {
		m.tickSigns(now)
	}
	if m.fixed {
		m.wake = m.tickAt
		for _, d := range m.dirs {
			if d != nil {
				m.wakeAt(d.cellEnd)
			}
		}
	}
}

// wakeAt sees to it that something is done at a time.
func (m *Connection) wakeAt(t int64) { m.wake = min(m.wake, t) }

// unusual takes a packet that is rare or may break the run of those with MPTCP
// options.
func (m *Connection) unusual(p *conn.Packet, w *way) {
	if !w.settled || p.Seg.OtherLen > 0 || p.Seg.Flags&(packet.SYN|packet.RST) != 0 {
		m.rare(p, w)
	} else {
		m.talked(p, w)
	}
}

// rare takes what few packets are: those of a handshake, RSTs, and carriers of
// MPTCP options beside the DSS.
func (m *Connection) rare(p *conn.Packet, w *way) {
	sub, u := w.sub, &w.sub.Setup
	if !sub.shook && p.Sub.ThirdACK != 0 {
		m.shaken(sub, p.Seg.Time)
	}
	if !u.over || p.Seg.Flags&(packet.SYN|packet.RST) != 0 {
		u.packet(p)
		if u.SYNCut || u.SYNACKCut {
			m.k.hidden = true
		}
	}
	syn := p.Seg.Flags&packet.SYN != 0
	for side := range sub.ways {
		w := &sub.ways[side]
		// Of a subflow that was there before the capture the handshake will never be over.
		w.settled = !syn && u.over && (sub.shook || !u.SYN.Seen() && !u.SYNACK.Seen())
		w.talks = w.talks && w.settled
		if w.scale = -1 << 16; !syn { // the window of a SYN is never shifted (RFC 7323, Section 2.2)
			w.scale = sub.shift(conn.Side(side)) << 16
		}
	}
	m.talked(p, w)
	if p.Seg.OtherLen > 0 || p.Seg.Flags&packet.RST != 0 {
		m.uncouple() // subflows change or end
	}
	if p.Seg.OtherLen > 0 {
		m.signals(p)
	}
	if p.Seg.Flags&packet.RST != 0 && follows(p) {
		for side := range sub.Sub.Senders {
			if sub.Sub.Senders[side].Bytes > 0 {
				sub.course(conn.Side(side)).cut(sub, conn.Side(side), p)
			}
		}
	}
}

// uncouple ends the trains of both directions.
func (m *Connection) uncouple() {
	for _, d := range m.dirs {
		if d != nil {
			d.uncouple()
		}
	}
}

// talked takes a packet that may break the run of those with MPTCP options.
func (m *Connection) talked(p *conn.Packet, w *way) {
	m.k.look(p)
	if p.Seg.Flags&(packet.SYN|packet.RST) == 0 {
		if w.talk == nil {
			w.talk = w.sub.newTalk(w.from)
		}
		w.talk.packet(p)
	}
	w.talks = w.settled && w.talk != nil && w.talk.Packets > 0 && w.talk.Silent == 0
}

// follows is [follows] of a packet that is no stray.
func (w *way) follows(p *conn.Packet) bool {
	if !w.followed {
		w.followed = follows(p) // once a connection is one of Multipath TCP it remains one
	}
	return w.followed
}

// carried takes a packet with payload.
func (w *way) carried(p *conn.Packet, now int64) {
	out := w.out
	d := out.dir
	if d.elsewhere && out.elsewhere {
		w.away(p, now)
		return
	}
	out.carried(p, now)
	if d.continues(p, out, now) {
		if d.Order.filling {
			d.Order.lateBy(now)
		}
		if d.series {
			d.out.emit(SeriesDSNOffset, now, float64(d.train.size))
		}
	} else if !d.switches(p, out, now) {
		w.turns(p, d, now)
		return
	}
	d.queue.carried(d, now)
	d.placed(p, now)
}

// turns is carried for a packet that ends the train. Another one may begin.
func (w *way) turns(p *conn.Packet, d *Dir, now int64) {
	out := w.out
	looked := d.carried(p, out, now)
	d.placed(p, now)
	tight := !d.calm(out.half)
	if tight {
		d.limit(now)
	}
	if d.elsewhere || !w.follows(p) {
		return
	}
	if d.trace.sent(out, p, tight); looked {
		d.couple(p, w, now)
	}
}

// placed takes data that became known.
func (d *Dir) placed(p *conn.Packet, now int64) {
	if len(p.InOrder) > 0 && d.role == Receiver {
		d.inOrder(p.InOrder, now)
	}
	d.queue.look(d, now)
}

// field returns what the header of a packet says of the window: its field, and
// above it by how much that is to be shifted; negative where that is not known.
func (w *way) field(s *packet.Segment) int32 { return w.scale | int32(s.Window) }

// dataAck takes the DATA_ACK of a packet, other than one that repeats the one
// before in direction d of the data.
func (w *way) dataAck(p *conn.Packet, d *Dir, now int64) {
	o, latest := advert{w.field(p.Seg), p.DataAck, d.space.SndNxt()}, &d.Window.latest
	switch {
	case o.field < 0: // what this packet offers is not known, and may be more
	case o.field != d.Window.field || o.ack != latest.ack:
		d.window(p, o, int64(p.Seg.Window)<<(o.field>>16&15), now)
	case o.next != latest.next:
		d.behind(o.next, now)
	default:
		d.again(now)
	}
	if d.elsewhere || d.Window.calm.holds(d.free()) {
		latest.field = d.Window.field
		return
	}
	latest.field = lookAgain // on another subflow, whose segments have another size, it may say more
	half := &w.sub.Sub.Senders[w.from.Other()]
	if d.calm(half) {
		return
	}
	d.uncouple()
	if o.field >= 0 {
		d.limit(now)
	}
	if follows(p) {
		d.trace.window(d, half, markOf(p))
	}
}

// answered takes a packet that acknowledges something for the first time, on
// the subflow or at the data level.
func (w *way) answered(p *conn.Packet, now int64) {
	s, a := w.back, &p.TCP.Ack
	d := s.dir
	if d.role != Sender {
		w.answeredAway(p, now)
		return
	}
	if a.New {
		s.roundTrips(a, now)
	}
	if p.DataAckAdvanced || len(p.LateMapped) > 0 {
		w.advanced(p, d, now)
	}
	if !d.queue.begun && a.Payload() {
		d.queue.covered(d, now)
	}
	d.queue.look(d, now)
	if w.follows(p) && p.Seg.Flags&packet.RST == 0 {
		d.trace.acknowledged(s, p)
	}
}

// answeredAway is answered away from the sender of the data, or where that is
// not known yet.
func (w *way) answeredAway(p *conn.Packet, now int64) {
	if a := &p.TCP.Ack; !w.back.dir.m.fixed && a.New {
		w.tooEarly(a, now)
	}
	d := w.back.dir
	if p.DataAckAdvanced || len(p.LateMapped) > 0 {
		w.advanced(p, d, now)
	}
	d.queue.look(d, now)
}

// advanced takes a packet that acknowledges data for the first time.
func (w *way) advanced(p *conn.Packet, d *Dir, now int64) {
	if len(p.LateMapped) > 0 {
		d.late(p.LateMapped, w.back)
	}
	if len(p.DataAcked) > 0 && p.HasDataAck { // after a fallback a subflow's ACK stands for it
		d.dataAcked(p.DataAcked, now)
	}
	if n := d.space.AcksOverHoles; d.trace.blockAt.Seen() || n != d.skips {
		d.interrupt() // above a hole that may be none any more
		d.unchain()
		if n != d.skips {
			d.trace.skipped(d, p)
		}
		d.skips = n
	}
}

// shut takes a packet that advertises a window of 0.
func (w *way) shut(p *conn.Packet) {
	if d := w.back.dir; !d.elsewhere && follows(p) {
		d.trace.shut(p)
	}
}
