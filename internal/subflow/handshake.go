package subflow

import "mpanalyze/internal/packet"

// handshake follows SYN, SYN/ACK and the third packet. Repetitions after the third
// packet are ignored. The responder sends nothing but SYN/ACKs before it has the third packet
// (RFC 9293, Section 3.10.7.4): if it does, the capture lacks that packet, and the time of the
// initiator's next one says nothing of the round trip.
func (f *Flow) handshake(s *packet.Segment, from Side) {
	snd, other := f.senders(from)
	if s.Flags&packet.SYN == 0 {
		switch {
		case f.SYNACK == 0 || f.ThirdACK != 0:
		case from == f.Initiator:
			f.ThirdACK = s.Time
			f.untimed = f.untimed || s.Have&packet.Untimed != 0
		case s.Flags&packet.RST == 0 && other.sndUna <= 1: // no data in the SYN: TCP Fast Open
			f.untimed = true
			snd.MissedUntil(s.Time)
		}
		return
	}
	other.peerNoSACK = s.Have&(packet.HasSACKPermitted|packet.OptionsCut) == 0
	if s.Have&packet.HasMSS != 0 {
		other.mss, other.segHeaderLen = s.MSS, 0
	}
	switch {
	case f.ThirdACK != 0:
		return
	case s.Flags&packet.ACK == 0:
		f.SYN, f.answer = s.Time, 0
	default:
		f.SYNACK = s.Time
		if f.answer == 0 {
			f.answer = s.Time
		}
	}
	f.untimed = f.untimed || s.Have&packet.Untimed != 0
}

// HandshakeHalves returns the two halves of the handshake's round trip as seen from the
// capture point, ns: SYN to SYN/ACK, and SYN/ACK to the initiator's next packet. If
// packets were repeated, it takes packets that follow each other: the last SYN and the
// first answer to it, and the last SYN/ACK. There are none if one of its packets has no time
// of its own.
func (f *Flow) HandshakeHalves() (syn, ack int64, ok bool) {
	if f.SYN == 0 || f.answer == 0 || f.ThirdACK == 0 || f.untimed {
		return 0, 0, false
	}
	return f.answer - f.SYN, f.ThirdACK - f.SYNACK, true
}

// WindowShift returns how the windows of an end are scaled after the SYNs; ok is false where the
// capture does not show it. They are scaled only if both SYNs have the option. A SYN/ACK has it
// only if the SYN had it (RFC 7323, Section 2.2), so it proves this for both ends.
func (f *Flow) WindowShift(from Side) (shift uint8, ok bool) {
	me, peer := f.senders(from)
	switch {
	case me.ShowsOffers() && !me.hasWScale || peer.ShowsOffers() && !peer.hasWScale:
		return 0, true
	case me.hasWScale && (peer.hasWScale || !me.opened):
		return me.wscale, true
	}
	return 0, false
}
