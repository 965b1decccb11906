package account

import "cmp"

// Account divides the time of one data direction of a connection. The capture was taken at
// the sender. Events come in the order of the capture. The zero value is empty.
type Account struct {
	division

	// AtReceiver says that the account is inferred at the receiver: see [Inferred].
	AtReceiver bool

	votes votes
	parts []span // of one pause, for a moment; bounded by the spans of the subflows

	packets   int   // so far
	lastAck   int64 // the latest ACK of any subflow
	latestNew int64 // the latest data that its subflow did not carry before
	answered  int64 // the latest of those that followed an ACK at once
	buffer    buffer
	bursts    [2]int64 // of new data, with none for near before; those that follow an ACK at once
}

// Reset makes a empty but keeps its memory.
func (a *Account) Reset() {
	*a = Account{division: a.division.empty(), votes: a.votes.empty(), parts: a.parts[:0]}
}

// Open begins a subflow, which is established since a time. *ended is when it ended, 0 while it
// is open. Data before its handshake is over waits for that; data of a subflow that ended is sent
// again on another one.
func (a *Account) Open(id int, s *Subflow, since int64, ended *int64) {
	a.open(id, s, since, ended, CongestionWindow, Recovery)
	s.sender.rounds.growing = true
	s.sender.pauses.open(max(since, a.first), a.packets, a.atOnce())
}

// atOnce returns the time within which data answers an ACK where the capture was taken, ns.
func (a *Account) atOnce() int64 {
	if a.AtReceiver {
		return atOnceAway
	}
	return atOnce
}

// Answers returns the percentage of the bursts of new data that follow an ACK at once. A sender that its send buffer or
// its congestion window holds back sends when an ACK makes room; an application that writes at a pace of its own, and a
// sender that paces its segments, send between ACKs. ok is false where there are few bursts.
func (a *Account) Answers() (percent float64, ok bool) {
	n := a.bursts[0]
	return 100 * float64(a.bursts[1]) / float64(max(1, n)), n >= voters
}

// Answer takes any packet of the receiver on a subflow: the path is not down.
func (a *Account) Answer(id int, now int64) {
	s := a.subs[id]
	a.lastAck, s.sender.pauses.lastAck = now, now
	a.answer(s, now, s.silence.rto, s.flight > 0)
}

// answer takes that the path of a subflow is not down. Where it was down, that ended a pause, if
// there was one; what was in flight then tells nothing of who holds back.
func (a *Account) answer(s *Subflow, now, rto int64, outstanding bool) {
	since := s.silence.since
	if !s.silence.answered(now, rto, outstanding) {
		return
	}
	s.sender.rounds.restart()
	if s.sender.pauses.lasts(since) {
		a.endPause(s, since, pause{state: Recovery})
	}
	s.sender.busy.stop(since)
	s.sender.pauses.begin(now, a.packets)
	if s.sender.pauses.copied = true; s.repair.since == 0 {
		s.sender.busy.start(now)
	}
}

// Data takes payload on a subflow.
func (a *Account) Data(id int, now int64, p *Data) {
	s := a.subs[id]
	if a.begins(now, Idle) {
		for _, o := range a.opened { // they wait since then
			o.sender.pauses.open(max(o.from, now), a.packets, a.atOnce())
		}
	}
	if p.New {
		a.rwnd.sent(now, 0)
	}
	if s.segment = p.Segment; p.Copy {
		a.copied(s, now)
		s.lost(now, p.Nxt)
	} else {
		a.newData(s, now, 10*p.Bytes < 9*p.Segment, p.New && a.buffer.held(now, a.bytes, a.atOnce()))
		s.sender.pauses.empty = 0
	}
	s.flight = p.Flight
	s.silence.start(now)
	s.sender.rounds.sent(now, p.Nxt, p.Flight)
	if a.bytes == 0 && p.Outstanding > 0 {
		a.waitsFor(now, id)
	}
	a.outstanding(now, p.Outstanding)
	a.Full(now, p.Full)
	a.event(now)
}

// lost takes a sign of a loss; nxt is the end of what was sent.
func (s *Subflow) lost(now, nxt int64) {
	if s.repair.lost(now, nxt, true) {
		s.sender.busy.stop(now)
		s.sender.rounds.lost()
	}
}

// Ack takes a packet of the receiver that acknowledges something on a subflow, or data.
func (a *Account) Ack(id int, now int64, p *Ack) {
	s := a.subs[id]
	a.acknowledged(now)
	a.lastAck = now
	s.flight, s.srtt = p.Flight, p.SRTT
	a.answer(s, now, p.RTO, p.Flight > 0)
	s.sender.pauses.acknowledged(now, p.Bytes, p.Flight, s.segment)
	if s.repair.acked(now, p.Una, 0) {
		s.sender.busy.start(now)
	}
	if p.SACKs {
		s.lost(now, p.Nxt)
	}
	s.sender.rounds.acked(now, p, s.segment)
	a.rtt = cmp.Or(a.roundTrip(true), a.roundTrip(false))
	if p.DataAck {
		a.buffer.acknowledged(now, a.bytes)
		a.waitsFor(now, p.Head)
	}
	a.outstanding(now, p.Outstanding)
	a.event(now)
}

// Full takes whether the receive window has no room for a segment.
func (a *Account) Full(now int64, full bool) {
	if full {
		a.rwnd.full(now)
	} else {
		a.rwnd.room(now, now+a.rtt)
	}
}

// PeerData takes data that the receiver sends.
func (a *Account) PeerData(now int64) {
	for _, s := range a.opened {
		if s.sender.pauses.asked == 0 {
			s.sender.pauses.asked = now
		}
	}
}

// outstanding takes the data outstanding on all subflows.
func (a *Account) outstanding(now, n int64) {
	if a.bytes = n; n > 0 {
		a.idle.stop(now)
	} else {
		a.idle.start(now)
	}
}

// event ends an event.
func (a *Account) event(now int64) {
	if a.packets++; a.packets%(patience/8) == 0 {
		a.split(now)
	}
	if a.division.event(now) {
		a.sweep(now, a.last, false)
	}
}

// Close ends the account: at the last acknowledgment or, if data stays outstanding, with the
// last payload.
func (a *Account) Close() {
	if a.first != 0 {
		end := a.end()
		a.endAll(end)
		a.sweep(a.now, end, true)
	}
}
