package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Settled reports whether the handshake is over and no end has begun. Nothing
// but a packet of which [Direction.Continues] does not hold can change that.
func (f *Flow) Settled() bool { return f.settled }

// Continues reports whether packet s of the direction, if its flow is settled,
// asks for no more than [Direction.Carries] or [Direction.Answers] does. It belongs
// to neither a handshake nor an end, and begins where the direction stands, so that
// it is no stray, no probe and no retransmission, and opens or fills no hole.
func (d *Direction) Continues(s *packet.Segment) bool {
	return s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK &&
		s.Window != 0 && uint32(s.Seq-d.me.isn) == uint32(d.me.nxt)
}

// Carries is [Direction.Packet] for a packet with payload, its options captured
// whole, that continues a settled flow: it ends no handshake, is no stray and closes
// no window, and the flow goes on. So is [Direction.Answers] for one without payload.
func (d *Direction) Carries(s *packet.Segment, p *Packet) {
	if !d.flows(s, p) {
		d.carries(s, p)
	}
}

// flows is carries for payload that is like nearly all: one segment whose times and
// timestamps tell no more than those before it did, beside an acknowledgment that is
// the one before. It returns false, and has changed nothing, for any other, and
// where there is no room for what it brings.
func (d *Direction) flows(s *packet.Segment, p *Packet) bool {
	me, peer := d.me, d.peer
	n := seq.SSN(s.PayloadLen)
	if uint64(s.Time-me.latest) > uint64(me.MaxIdle) || stampsOf(s) != me.stamped || s.OptLen+1 != me.options ||
		int64(n) > me.unit || s.Ack != peer.isn+seq.Wire(peer.una) || s.NSACK != 0 || !me.inflight.roomy() {
		return false
	}
	r := seq.Range[seq.SSN]{Start: me.nxt, End: me.nxt + n}
	me.inflight.enter(r, s.Time, me.unit)
	me.nxt, me.latest, me.LastData, me.window = r.End, s.Time, s.Time, offered(s.Window)
	me.Packets++
	me.CapturedSegments++
	me.Segments++
	me.Bytes += int64(n)
	p.FarHalfRTT = 0
	p.Sent.continues(r)
	p.Sent.Segments = 1
	p.Ack.nothing()
	return true
}

// carries is Carries for any such packet.
func (d *Direction) carries(s *packet.Segment, p *Packet) {
	me, peer := d.me, d.peer
	p.FarHalfRTT = 0
	p.Sent.continues(seq.Range[seq.SSN]{Start: me.nxt, End: me.nxt + seq.SSN(s.PayloadLen)})
	if !me.isTimely(s) {
		me.clock(s)
	}
	me.Packets++
	me.latest = s.Time
	if me.isEchoNew(s) {
		p.FarHalfRTT = me.far(s, peer, me.LastData)
	}
	me.next(s, &p.Sent)
	me.stamped = stampsOf(s)
	me.window = offered(s.Window)
	me.SACKBlocks += int64(s.NSACK)
	if ack := peer.ssn(s.Ack); ack <= peer.una && s.NSACK == 0 {
		p.Ack.nothing()
	} else {
		peer.answered(s, ack, &p.Ack)
	}
}

// Answers is [Direction.Packet] for a packet without payload: see
// [Direction.Carries].
func (d *Direction) Answers(s *packet.Segment, news bool, p *Packet) {
	me, peer := d.me, d.peer
	p.FarHalfRTT = 0
	p.Sent.continues(seq.Range[seq.SSN]{Start: me.nxt, End: me.nxt})
	if !me.isTimely(s) {
		me.clock(s)
	}
	me.Packets++
	me.PureACKs++
	me.latest = s.Time
	ack, window := peer.ssn(s.Ack), offered(s.Window)
	if ack == peer.una && !news && window == me.window && peer.awaits(s) {
		duplicate(me, peer)
	}
	me.window = window
	if ack <= peer.una && s.NSACK == 0 {
		p.Ack.nothing()
		return
	}
	me.SACKBlocks += int64(s.NSACK)
	if ack != peer.una || !peer.lengthens(s, &p.Ack) {
		peer.answered(s, ack, &p.Ack)
	}
}

// answered takes the acknowledgment up to ack, with SACK blocks or news, of a
// packet for [Direction.Carries] or [Direction.Answers].
func (h *Sender) answered(s *packet.Segment, ack seq.SSN, out *Ack) {
	switch {
	case h.isFar(ack):
		out.nothing()
	case s.NSACK > 0 || !h.advances(s, ack, out):
		h.acknowledged(s, ack, out)
	}
}
