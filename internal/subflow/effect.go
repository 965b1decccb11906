package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Effect says whether the receiver of a packet acts on it.
type Effect uint8

// The effects.
const (
	EffectUnknown Effect = iota // the capture cannot tell, or the flow had ended before
	Ignored                     // the receiver discards the packet, whatever it carries
	Accepted                    // the receiver acts on it, if it arrives
)

// Effect returns whether the receiver of packet s, the next one of end from, acts
// on it: by RFC 9293, Section 3.10.7, which checks the sequence number before
// anything else, and RFC 5961, Section 3.2, by which a RST counts only at RCV.NXT.
func (f *Flow) Effect(s *packet.Segment, from Side) Effect {
	me, peer := f.halves(from)
	switch {
	case f.Done():
		return EffectUnknown
	case s.Flags&packet.RST == 0:
		return me.effect(s, peer)
	case f.State == Opening && from != f.Initiator:
		return peer.refused(s)
	}
	return me.resets(s)
}

// refused returns the effect of a RST in answer to the SYN of the direction: it
// has to acknowledge the SYN (RFC 9293, Section 3.10.7.3).
func (h *Sender) refused(s *packet.Segment) Effect {
	switch at := h.ssn(s.Ack); {
	case !h.syn:
		return EffectUnknown
	case s.Flags&packet.ACK == 0 || at < 1 || at > h.nxt:
		return Ignored
	}
	return Accepted
}

// resets returns the effect of a RST of this direction. RCV.NXT of the receiver
// lies between what it has acknowledged and what was sent.
func (h *Sender) resets(s *packet.Segment) Effect {
	if !h.open {
		return EffectUnknown
	}
	switch at := h.ssn(s.Seq); {
	case at == h.nxt && (at == h.una || h.holes.list.Len() == 0):
		return Accepted
	case at < h.una && h.FINAcked() && at == h.fin:
		return EffectUnknown // some hosts send a RST with the number of their FIN, which Linux accepts
	case at < h.una || at > h.nxt:
		return Ignored
	}
	return EffectUnknown
}

// effect returns the effect of a packet without RST; peer is what its receiver
// sends.
func (h *Sender) effect(s *packet.Segment, peer *Sender) Effect {
	if !h.open || !peer.open || s.Flags&packet.SYN != 0 {
		return EffectUnknown
	}
	at := h.ssn(s.Seq)
	end, ack := at+seq.SSN(s.PayloadLen), peer.ssn(s.Ack)
	switch {
	case end < h.una, at > h.nxt && peer.syn && at > h.una+peer.offer():
		return Ignored
	case s.Flags&packet.ACK != 0 && peer.syn && ack < 1: // it acknowledges less than the SYN (RFC 5961, Section 5.2)
		return Ignored
	case s.Flags&packet.ACK != 0 && ack > peer.nxt:
		return EffectUnknown // of something that the capture missed, or of nothing
	}
	return Accepted
}

// offer returns the receive window that this end offered last, in bytes.
func (h *Sender) offer() seq.SSN {
	if h.window == 0 {
		return 0
	}
	return seq.SSN(h.window-1) << h.wscale
}
