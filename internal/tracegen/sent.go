package tracegen

import (
	"time"

	"mpanalyze/internal/seq"
)

// current is the position of a pure ACK: the first position that is not sent when the
// packet is sent.
const current seq.SSN = -1

// fate is whether and where the network loses a packet.
type fate uint8

const (
	arrives    fate = iota
	lostBehind      // between the middle and the receiver
	lostBefore      // between the sender and the middle
)

// Option is an MPTCP option of package mptcp.
type Option interface{ Append(b []byte) []byte }

// Sent is a scripted packet. Its methods change what happens to it. They return it, so that
// they can follow the call that scripted it.
type Sent struct {
	sub   *Subflow
	dir   Dir
	at    time.Duration
	flags Flags
	ssn   seq.SSN // of the first byte, or current

	mapping *Mapping // nil: no data
	from, n int      // part of the mapping's data
	options []Option // besides DSS
	noDSS   bool
	noStamp bool   // no TCP timestamps
	cookie  []byte // of TCP Fast Open, not nil where the packet has the option
	auto    bool   // the host acknowledges by itself, without the script

	delay    time.Duration
	fate     fate
	declined bool // the responder accepts the SYN without its data
	spoilt   bool // a middlebox between the middle and the receiver changes the payload
	spoil    bool // the payload is not changed yet
	twice    time.Duration
	unseen   bool // the view at the sender does not see it
	edit     func(*Packet)

	packet Packet
}

// script adds x to the schedule of the network.
func (f *Subflow) script(x Sent) *Sent {
	x.sub = f
	x.delay = f.path.Delay[x.dir]
	sent := &x
	f.session.net.queue.push(event{at: x.at, sent: sent, leg: legSend})
	return sent
}

// Lose makes the network lose the packet between the middle and the receiver: sender and
// middle see it.
func (x *Sent) Lose() *Sent { x.fate = lostBehind; return x }

// LoseEarly makes the network lose the packet between the sender and the middle: only its
// sender sees it.
func (x *Sent) LoseEarly() *Sent { x.fate = lostBefore; return x }

// Unseen makes the view at the sender not see the packet. With [Sent.LoseEarly] the host
// drops it before the capture point; without it the capture missed it.
func (x *Sent) Unseen() *Sent { x.unseen = true; return x }

// Late makes the packet take longer than the path's delay, by so much.
func (x *Sent) Late(by time.Duration) *Sent { x.delay += by; return x }

// Twice makes the network deliver the packet a second time, later by so much.
func (x *Sent) Twice(later time.Duration) *Sent { x.twice = later; return x }

// Spoil makes a middlebox between the middle and the receiver change the last byte of the
// payload, so that the DSS checksum fails. The receiver acknowledges the segment on the
// subflow and takes no data from it (RFC 8684, Section 3.7). Without checksums it takes the
// changed data.
func (x *Sent) Spoil() *Sent { x.spoilt, x.spoil = true, true; return x }

// Bare makes the packet carry no DSS, as after a fallback.
func (x *Sent) Bare() *Sent { x.noDSS = true; return x }

// Edit calls f with the finished packet when it is sent.
func (x *Sent) Edit(f func(*Packet)) *Sent { x.edit = f; return x }

// Again scripts the same segment once more: a retransmission. It may be called before the
// network runs and while it runs.
func (x *Sent) Again(at time.Duration) *Sent {
	return x.sub.script(Sent{
		dir: x.dir, at: at, flags: x.flags, ssn: x.ssn,
		mapping: x.mapping, from: x.from, n: x.n, options: x.options, noDSS: x.noDSS, noStamp: x.noStamp,
	})
}

// SentAt returns when the packet is sent.
func (x *Sent) SentAt() time.Duration { return x.at }

// ArrivesAt returns when the packet reaches its receiver, if it is not lost.
func (x *Sent) ArrivesAt() time.Duration { return x.at + x.delay }

// sides returns the views of the packet's sender and receiver.
func (x *Sent) sides() (from, to View) {
	if x.dir == A2B {
		return HostA, HostB
	}
	return HostB, HostA
}

// span returns the range of positions that the packet occupies (RFC 9293, Section 3.4: SYN
// and FIN count).
func (x *Sent) span() seq.Range[seq.SSN] {
	end := x.ssn + seq.SSN(x.n)
	if x.flags&(SYN|FIN) != 0 {
		end++
	}
	return seq.Range[seq.SSN]{Start: x.ssn, End: end}
}

// leave builds the packet from what its sender knows now, and sends it.
func (x *Sent) leave(n *Network) {
	out, back := &x.sub.half[x.dir], &x.sub.half[x.dir.Opposite()]
	if x.auto && back.unacked == 0 {
		return // another packet has acknowledged it since
	}
	if x.ssn == current {
		x.ssn = out.sent
	}
	out.sent = max(out.sent, x.span().End)
	x.build()
	if x.edit != nil {
		x.edit(&x.packet)
	}
	if from, _ := x.sides(); !x.unseen {
		n.show(from, x, Outgoing)
	}
	x.travel(n, x.at)
	if x.twice > 0 {
		x.travel(n, x.at+x.twice)
	}
}

// travel adds the packet's places on its path to the schedule.
func (x *Sent) travel(n *Network, at time.Duration) {
	if x.fate == lostBefore {
		return
	}
	n.queue.push(event{at: at + x.delay/2, sent: x, leg: legMiddle})
	if x.fate == arrives {
		n.queue.push(event{at: at + x.delay, sent: x, leg: legArrive})
	}
}
