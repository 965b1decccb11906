package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// isUsual reports whether packet s of direction me asks for no more than
// [Flow.usual] does. It belongs to neither a handshake nor an end, and begins
// where the direction stands, so that it is no stray, no probe, no
// retransmission, and opens or fills no hole. Nothing but a general packet can
// make a flow settled or change what that rests on.
func (f *Flow) isUsual(s *packet.Segment, me *Half) bool {
	return f.settled && s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK &&
		s.Window != 0 && uint32(s.Seq-me.isn) == uint32(me.nxt)
}

// usual is Packet for a usual packet.
func (f *Flow) usual(s *packet.Segment, me, peer *Half, news bool, p *Packet) {
	at := me.nxt
	p.Far = 0
	p.Sent = Sent{Range: seq.Range[seq.SSN]{Start: at, End: at + seq.SSN(s.PayloadLen)}}
	if s.PayloadLen == 0 {
		me.PureACKs++
		if !news && peer.isDuplicate(s, me) {
			f.duplicate(me, peer)
		}
	}
	me.seen(s)
	me.window, me.windowSeen = s.Window, true
	if s.PayloadLen > 0 {
		me.data(s, &p.Sent)
		me.inflight.trim()
		if s.Have&packet.HasTimestamps != 0 {
			p.Far = me.far(s, peer)
		}
	}
	ack, ok := peer.near(s.Ack)
	if !ok || ack <= peer.una && s.NSACK == 0 {
		p.Ack = Ack{}
		return
	}
	peer.acknowledged(s, ack, &p.Ack)
	if s.NSACK > 0 {
		peer.inflight.trim()
	}
	if p.Ack.Advanced {
		f.step(s, A)
	}
}
