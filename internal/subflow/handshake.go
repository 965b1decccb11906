package subflow

import "mpanalyze/internal/packet"

// handshake follows SYN, SYN/ACK and the third packet. Repetitions after the third
// packet are ignored.
func (f *Flow) handshake(s *packet.Segment, from Side) {
	if s.Flags&packet.SYN == 0 {
		if f.SYNACK != 0 && f.ThirdACK == 0 && from == f.Initiator {
			f.ThirdACK = s.Time
			f.untimed = f.untimed || s.Have&packet.Untimed != 0
		}
		return
	}
	other := &f.Senders[from.Other()]
	other.peerNoSACK = s.Have&packet.HasSACKPermitted == 0
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
