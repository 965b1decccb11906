package subflow

import (
	"mpanalyze/internal/packet"
)

// State is how far a TCP connection has come, as both directions show it.
type State uint8

// The states. They are coarser than those of RFC 9293, Section 3.3.2, because a capture
// shows the wire and not the ends.
const (
	Opening State = iota // SYN without an answer
	Open                 // both directions alive
	Closed               // a FIN of each direction was acknowledged
	Reset                // ended by RST
	Refused              // RST in answer to the SYN
)

// String returns the name that reports use.
func (s State) String() string {
	return [...]string{"opening", "open", "closed", "reset", "refused"}[s]
}

// Side names an end: an index of [Flow.Senders].
type Side uint8

// The ends of a subflow. A is the end that the connection calls A.
const (
	A Side = iota
	B
)

// Other returns the opposite end.
func (s Side) Other() Side { return (s ^ 1) & 1 }

// String returns "a" or "b".
func (s Side) String() string { return "ab"[s&1 : s&1+1] }

// Flow is one TCP connection: Senders[A] is what A sends.
type Flow struct {
	Senders   [2]Sender
	Initiator Side
	State     State
	Ended     int64 // time of the packet that made Done true, ns; 0 = none yet

	SYN      int64 // time of the latest SYN of the handshake, ns; 0 = not captured
	SYNACK   int64 // time of its latest SYN/ACK, ns
	ThirdACK int64 // time of the first packet of the initiator after the SYN/ACK, even if it is a RST, ns
	answer   int64 // time of the first SYN/ACK since the latest SYN, ns
	untimed  bool  // a packet of the handshake has no time of its own: see [packet.Untimed]

	fastPathOK bool // the handshake is over, both origins are known, and no FIN was seen
}

// Packet is what one captured packet means to both directions.
type Packet struct {
	Sent Sent
	Ack  Ack
	// FarHalfRTT is the far half of a round trip: from the first packet of the other
	// end with a timestamp to the first payload that echoes it, ns; 0 = none.
	FarHalfRTT int64
}

// SubflowDir is one direction of a flow, for the packets of one end.
type SubflowDir struct {
	flow      *Flow
	snd, peer *Sender // the direction itself, and the opposite one
	from      Side
}

// Dir returns the direction that end from sends.
func (f *Flow) Dir(from Side) SubflowDir {
	snd, peer := f.senders(from)
	return SubflowDir{f, snd, peer, from}
}

// Sender returns the state of the end that sends the packets of the direction.
func (d *SubflowDir) Sender() *Sender { return d.snd }

// Peer returns the state of the other end.
func (d *SubflowDir) Peer() *Sender { return d.peer }

// Packet takes one captured packet of the direction and fills p with what it means.
// dataAckAdvances says that its DATA_ACK advances, so that it is no duplicate ACK. The
// memory of p's slices is used again.
func (d *SubflowDir) Packet(s *packet.Segment, dataAckAdvances bool, p *Packet) {
	switch {
	case !d.flow.fastPathOK || s.Have&(packet.OptionsCut|packet.Untimed) != 0 || !d.IsExpected(s):
		d.flow.slowPath(s, d.from, dataAckAdvances, p)
	case s.PayloadLen > 0:
		p.Sent.reset()
		d.ExpectedData(s, p)
	default:
		p.Sent.reset()
		d.ExpectedACK(s, dataAckAdvances, p)
	}
}

// senders returns the state of end from, and that of the other end.
func (f *Flow) senders(from Side) (snd, peer *Sender) {
	return &f.Senders[from&1], &f.Senders[from.Other()]
}

// slowPath is [SubflowDir.Packet] for any packet.
func (f *Flow) slowPath(s *packet.Segment, from Side, dataAckAdvances bool, p *Packet) {
	snd, peer := f.senders(from)
	again := !dataAckAdvances && s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK && s.PayloadLen == 0 &&
		peer.started && peer.ssn(s.Ack) == peer.sndUna && snd.sameWindow(s)
	p.FarHalfRTT = 0
	before := snd.LastData
	snd.reorderWait = f.reorderWait()
	effect := EffectUnknown
	if s.Flags&packet.RST != 0 {
		effect = f.Effect(s, from)
	}
	next := snd.sndNxt
	snd.send(s, &p.Sent)
	if s.Have&packet.Untimed != 0 && snd.sndNxt > next {
		snd.rtxQueue.noteUntimed()
	}
	p.Sent.Effect = effect
	if p.Sent.Stray {
		p.Ack.reset()
		return
	}
	switch {
	case p.Sent.probe:
		snd.Probing.add(s, peer.Last())
	case again:
		snd.repeated(s, peer)
	}
	f.handshake(s, from)
	if !p.Sent.Range.Empty() && snd.isEchoNew(s) {
		p.FarHalfRTT = snd.farHalfRTT(s, peer, before)
	}
	peer.processAck(s, &p.Ack)
	if effect != Ignored {
		f.step(s, from)
	}
	f.fastPathOK = f.State != Opening && (f.SYNACK == 0 || f.ThirdACK != 0) && snd.started && peer.started && !snd.finSeen && !peer.finSeen
}

// repeated takes an ACK that repeats the one before: it has no payload, acknowledges SND.UNA of the peer, announces the same
// window, and has no DATA_ACK that advances. While data is outstanding it is a duplicate ACK (RFC 5681, Section 2).
// A packet with an MPTCP option other than DSS is none (RFC 8684, Section 3).
func (snd *Sender) repeated(s *packet.Segment, peer *Sender) {
	switch {
	case s.OtherLen != 0:
	case peer.sndNxt > peer.sndUna:
		snd.DupACKs++
		peer.Loss.dupAcks++
	case snd.SACKBlocks == 0 && snd.DupACKs > 0: // it reported no data above a hole either
		peer.Loss.answered(s, int64(peer.RTT.RTO()))
	}
}

// reorderWait returns half the smoothed round-trip time, ns; 0 where none is known. The
// samples of each direction are the part of the round trip on one side of the capture
// point. So their sum is the whole round trip, wherever the capture was taken.
func (f *Flow) reorderWait() int64 {
	return int64((f.Senders[A].RTT.SRTT + f.Senders[B].RTT.SRTT) / 2)
}

// step moves f.State.
func (f *Flow) step(s *packet.Segment, from Side) {
	switch {
	case s.Flags&packet.RST != 0:
		if f.Done() {
			return
		}
		if f.State == Opening && from != f.Initiator {
			f.State = Refused
		} else {
			f.State = Reset
		}
		f.Ended = s.Time
	case f.State == Opening:
		if s.Flags&packet.SYN == 0 || s.Flags&packet.ACK != 0 {
			f.State = Open
		}
	default:
		f.close(s.Time)
	}
}

// close ends an open flow when both FINs are acknowledged.
func (f *Flow) close(now int64) {
	if f.State == Open && f.Senders[A].FINAcked() && f.Senders[B].FINAcked() {
		f.State, f.Ended = Closed, now
	}
}

// Done reports whether the flow has ended, as far as a capture can show.
func (f *Flow) Done() bool { return f.State >= Closed }
