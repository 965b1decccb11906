package subflow

import (
	"mpanalyze/internal/packet"
)

// State is how far a TCP connection has come, as both directions show it.
type State uint8

// The states, coarser than those of RFC 9293, Section 3.3.2, for a capture
// sees the wire and not the ends.
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

// Side names an end: an index into the halves.
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

// Flow is one TCP connection: Half[A] is what A sends.
type Flow struct {
	Senders   [2]Sender
	Initiator Side
	State     State
	Ended     int64 // time of the packet that made it [Flow.Done], ns; 0 = it is not

	SYN      int64 // time of the latest SYN of the handshake, ns; 0 = not captured
	SYNACK   int64 // time of its latest SYN/ACK, ns
	ThirdACK int64 // time of the first packet of the initiator after the SYN/ACK, be it a RST, ns
	answer   int64 // time of the first SYN/ACK since the latest SYN, ns

	settled bool // the handshake is over, both halves know their origin, and neither has ended: see [Direction.Continues]
}

// Packet is what both directions make of one captured packet.
type Packet struct {
	Sent Sent
	Ack  Ack
	// FarHalfRTT is the far half of a round trip: from the first packet of the
	// other end with a timestamp to the first payload that echoes it, ns;
	// 0 = none.
	FarHalfRTT int64
}

// Direction is one direction of a flow: what packets of one end bear on.
type Direction struct {
	flow     *Flow
	me, peer *Sender // what the sender of the packets sends, and what the other end does
	from     Side
}

// Direction returns the direction of what end from sends.
func (f *Flow) Direction(from Side) Direction {
	me, peer := f.halves(from)
	return Direction{f, me, peer, from}
}

// Sender returns what the end that the direction is of sends.
func (d *Direction) Sender() *Sender { return d.me }

// Peer returns what the other end sends.
func (d *Direction) Peer() *Sender { return d.peer }

// Packet takes one captured packet of the direction and fills p with what it
// means. news says that the packet moves the data-level acknowledgment, so that
// it is no duplicate ACK. Slices that p had are used again.
func (d *Direction) Packet(s *packet.Segment, news bool, p *Packet) {
	switch {
	case !d.flow.settled || s.Have&packet.OptionsCut != 0 || !d.Continues(s):
		d.flow.general(s, d.from, news, p)
	case s.PayloadLen > 0:
		d.Carries(s, p)
	default:
		d.Answers(s, news, p)
	}
}

// halves returns what end from sends, and what the other end sends.
func (f *Flow) halves(from Side) (me, peer *Sender) {
	return &f.Senders[from&1], &f.Senders[from.Other()]
}

// general is [Direction.Packet] for whatever a packet may be.
func (f *Flow) general(s *packet.Segment, from Side, news bool, p *Packet) {
	me, peer := f.halves(from)
	dup := !news && s.Flags&(packet.SYN|packet.FIN|packet.RST|packet.ACK) == packet.ACK && s.PayloadLen == 0 &&
		peer.open && peer.ssn(s.Ack) == peer.una && peer.isDuplicate(s, me)
	p.FarHalfRTT = 0
	before := me.LastData
	me.patience = f.patience()
	effect := EffectUnknown
	if s.Flags&packet.RST != 0 {
		effect = f.Effect(s, from)
	}
	me.send(s, &p.Sent)
	p.Sent.Effect = effect
	if p.Sent.Stray {
		p.Ack.reset()
		return
	}
	if dup && !p.Sent.probe {
		duplicate(me, peer)
	}
	f.handshake(s, from)
	if !p.Sent.Range.Empty() && me.isEchoNew(s) {
		p.FarHalfRTT = me.far(s, peer, before)
	}
	peer.ack(s, &p.Ack)
	if effect != Ignored {
		f.step(s, from)
	}
	f.settled = f.State != Opening && (f.SYNACK == 0 || f.ThirdACK != 0) && me.open && peer.open && !me.finSeen && !peer.finSeen
}

// duplicate counts a duplicate ACK that end me sent.
func duplicate(me, peer *Sender) {
	me.DupACKs++
	peer.Loss.dupAcks++
}

// patience returns half the smoothed round trip, 0 where none is known.
// Acknowledgments show one part of the round trip in each direction, before
// and beyond the capture point, so their sum is the whole wherever that lies.
func (f *Flow) patience() int64 {
	return int64((f.Senders[A].RTT.SRTT + f.Senders[B].RTT.SRTT) / 2)
}

// step moves the state.
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

// Done reports whether the flow has ended in every way that a capture can
// show.
func (f *Flow) Done() bool { return f.State >= Closed }
