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

// Effect returns whether the receiver of packet s, the next one of end from, acts on
// it: by RFC 9293, Section 3.10.7, which checks the sequence number first, and RFC
// 5961, Section 3.2, by which a RST counts only at RCV.NXT.
func (f *Flow) Effect(s *packet.Segment, from Side) Effect {
	snd, peer := f.senders(from)
	switch {
	case f.Done():
		return EffectUnknown
	case s.Flags&packet.RST == 0:
		return snd.effect(s, peer, f.offeredWindow(from.Other()))
	case f.State == Opening && from != f.Initiator:
		return peer.effectOfRefusal(s)
	}
	return snd.effectOfRST(s)
}

// Precedes reports whether packet s of end from, which is no SYN, cannot follow the SYN of a
// flow that no SYN/ACK has answered: it lies before the SYN, or it is an answer that does not
// acknowledge it.
func (f *Flow) Precedes(s *packet.Segment, from Side) bool {
	opener, _ := f.senders(f.Initiator)
	at, near := seq.SSN(0), false
	switch {
	case !opener.isnFromSYN:
		return false
	case from == f.Initiator:
		at, near = opener.nearPosition(s.Seq)
		return !near || at < 0
	case s.Flags&packet.ACK != 0:
		at, near = opener.nearPosition(s.Ack)
	}
	return !near || at < 1
}

// effectOfRefusal returns the effect of a RST that answers the SYN of snd: it has to
// acknowledge the SYN (RFC 9293, Section 3.10.7.3).
func (snd *Sender) effectOfRefusal(s *packet.Segment) Effect {
	switch at := snd.ssn(s.Ack); {
	case !snd.isnFromSYN:
		return EffectUnknown
	case s.Flags&packet.ACK == 0 || at < 1 || at > snd.sndNxt:
		return Ignored
	}
	return Accepted
}

// effectOfRST returns the effect of a RST that snd sent. RCV.NXT of the receiver lies
// between what it acknowledged and what was sent.
func (snd *Sender) effectOfRST(s *packet.Segment) Effect {
	if !snd.started {
		return EffectUnknown
	}
	switch at := snd.ssn(s.Seq); {
	case at == snd.sndNxt && (at == snd.sndUna || snd.holes.list.Len() == 0):
		return Accepted
	case at < snd.sndUna && snd.FINAcked() && at == snd.fin:
		return EffectUnknown // some hosts send a RST with the number of their FIN, and Linux accepts it
	case at < snd.sndUna || at > snd.sndNxt:
		return Ignored
	}
	return EffectUnknown
}

// effect returns the effect of a packet without RST that snd sent to peer, which offered a window.
func (snd *Sender) effect(s *packet.Segment, peer *Sender, window seq.SSN) Effect {
	if !snd.started || !peer.started || s.Flags&packet.SYN != 0 {
		return EffectUnknown
	}
	at := snd.ssn(s.Seq)
	end, ack := at+seq.SSN(s.PayloadLen), peer.ssn(s.Ack)
	switch {
	case end < snd.sndUna, at > snd.sndNxt && peer.isnFromSYN && at > snd.sndUna+window:
		return Ignored
	case s.Flags&packet.ACK != 0 && peer.isnFromSYN && ack < 1: // it acknowledges less than the SYN (RFC 5961, Section 5.2)
		return Ignored
	case s.Flags&packet.ACK != 0 && ack > peer.sndNxt:
		return EffectUnknown // it acknowledges data that the capture missed, or that was never sent
	}
	return Accepted
}

// offeredWindow returns the receive window that an end offered last, in bytes; as much as it can
// be where the scale is not known.
func (f *Flow) offeredWindow(by Side) seq.SSN {
	snd, _ := f.senders(by)
	shift, known := f.WindowShift(by)
	switch {
	case !snd.hasWindow:
		return 0
	case !known:
		return maxWindow
	}
	return seq.SSN(snd.window) << shift
}
