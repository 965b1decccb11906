package account

// Account divides the time of one data direction of a connection. The capture was taken at
// the sender. Events come in the order of the capture. The zero value is empty.
type Account struct {
	division

	subs []*Subflow // by their number; nil for those that are not open

	segments int64 // segments of new data, on all subflows

	rwnd   rwndLimit
	pauses pauses
	level  level
	idle   idle
}

// Sent is payload on a subflow.
type Sent struct {
	New         bool  // some of it is data that was not sent before
	Copy        bool  // some of it was sent before on this subflow
	Nxt         int64 // end of what was sent on the subflow
	Flight      int64 // bytes outstanding on the subflow, with it
	Segment     int64 // size of a full segment, bytes
	Outstanding int64 // data outstanding on all subflows, with it
	Arrived     int64 // the part of it that was acknowledged on its subflow
	Full        bool  // the receive window has no room for a segment
}

// Ack is a packet of the receiver on a subflow that acknowledges something.
type Ack struct {
	Una, Nxt    int64 // all below Una is acknowledged; end of what was sent
	Bytes       int64 // acknowledged for the first time, SACKs included
	Flight      int64 // bytes outstanding on the subflow, after it
	Hole        bool  // a SACK covers data above what is missing
	SRTT        int64 // smoothed round-trip time, ns; 0 before the first sample
	LeastRTT    int64 // ns
	RTO         int64 // retransmission timeout, ns
	DataAck     bool  // its DATA_ACK advances
	Outstanding int64 // data outstanding on all subflows, after it
	Arrived     int64 // the part of it that was acknowledged on its subflow
	Head        int   // the subflow of the first data outstanding, negative = none; valid with DataAck
}

// Reset makes a empty but keeps its memory.
func (a *Account) Reset() {
	*a = Account{
		division: a.division.empty(), subs: clearAll(a.subs), rwnd: rwndLimit{spans: a.rwnd.spans[:0]}, pauses: pauses{application: a.pauses.application[:0], held: a.pauses.held[:0], waiting: a.pauses.waiting[:0]},
		level: level{spans: a.level.spans[:0]}, idle: idle{spans: a.idle.spans[:0]},
	}
}

func clearAll[T any](l []*T) []*T {
	clear(l)
	return l[:0]
}

// Open begins a subflow, which is established since a time. *ended is when it ended, 0 while it
// is open.
func (a *Account) Open(id int, s *Subflow, since int64, ended *int64) {
	for id >= len(a.subs) {
		a.subs = append(a.subs, nil)
	}
	s.Reset()
	s.from, s.ended, s.unused.since, s.unused.others = since, ended, since, a.segments
	a.subs[id] = s
}

// Has reports whether a subflow was opened.
func (a *Account) Has(id int) bool { return at(a.subs, id) != nil }

// Answer takes any packet of the receiver on a subflow: the path is not down.
func (a *Account) Answer(id int, now int64) {
	s := a.subs[id]
	if s.silence.answered(now, s.silence.rto, s.flight > 0) {
		s.rounds.restart()
	}
}

// Sent takes payload on a subflow.
func (a *Account) Sent(id int, now int64, p *Sent) {
	s := a.subs[id]
	a.payload(now)
	if p.Copy && s.recovery.lost(now, p.Nxt) {
		s.rounds.lost()
	}
	s.segment, s.flight = p.Segment, p.Flight
	s.silence.sent(now)
	s.rounds.sent(now, p.Nxt, p.Flight)
	s.unused.flight(now, p.Flight, s.rounds.recentFlight(s.segment), s.srtt, a.segments-s.sent)
	if p.New {
		s.sent++
		a.segments++
		blocked := len(a.subs) > 1 && 2*p.Arrived > p.Outstanding // it waits for data of another subflow
		if a.pauses.data(now, a.rtt, blocked, !blocked && a.roomEverywhere()) {
			a.level.restart()
		}
		a.rwnd.sent(now, a.rtt)
	}
	if a.bytes == 0 && p.Outstanding > 0 {
		a.heads.change(now, id)
	}
	a.outstanding(now, p.Outstanding, p.Segment)
	a.Full(now, p.Full)
	a.event(now)
}

// Ack takes a packet of the receiver that acknowledges something on a subflow, or data.
func (a *Account) Ack(id int, now int64, p *Ack) {
	s := a.subs[id]
	a.acknowledged(now)
	s.flight, s.srtt = p.Flight, p.SRTT
	if s.silence.answered(now, p.RTO, p.Flight > 0) {
		s.rounds.restart()
	}
	if s.recovery.acked(now, p.Una) {
		s.rounds.forgetFlights(p.Flight)
	}
	if p.Hole && s.recovery.lost(now, p.Nxt) {
		s.rounds.lost()
	}
	s.rounds.acked(now, p)
	s.unused.flight(now, p.Flight, s.rounds.recentFlight(s.segment), s.srtt, a.segments-s.sent)
	if p.DataAck {
		a.pauses.dataAck(now, p.Outstanding > 0, 2*p.Arrived <= p.Outstanding && a.roomEverywhere())
	}
	a.rtt = a.roundTrip()
	a.outstanding(now, p.Outstanding, s.segment)
	if p.DataAck {
		a.heads.change(now, p.Head)
	}
	a.event(now)
}

// Full takes whether the receive window has no room for a segment.
func (a *Account) Full(now int64, full bool) { a.rwnd.full(now, full) }

// PeerData takes data that the receiver sends.
func (a *Account) PeerData() { a.pauses.peerData() }

// outstanding takes the data outstanding on all subflows.
func (a *Account) outstanding(now, n, segment int64) {
	a.bytes = n
	a.idle.outstanding(now, n > 0)
	a.level.outstanding(now, n, segment, a.rtt)
}

// roundTrip returns the longest smoothed round-trip time of subflows with data outstanding,
// or of all if none has any; ns.
func (a *Account) roundTrip() (longest int64) {
	all := int64(0)
	for _, s := range a.subs {
		if s == nil || *s.ended != 0 {
			continue
		}
		all = max(all, s.srtt)
		if s.flight > 0 {
			longest = max(longest, s.srtt)
		}
	}
	if longest == 0 {
		return all
	}
	return longest
}

// roomEverywhere reports whether each subflow has room for a segment in what it lately had in
// flight, and repairs no loss.
func (a *Account) roomEverywhere() bool {
	for _, s := range a.subs {
		if s != nil && *s.ended == 0 && (s.recovery.since != 0 || s.flight+s.segment > s.rounds.recentFlight(s.segment)) {
			return false
		}
	}
	return true
}

// event puts the times together from time to time: after as many events as there are
// subflows, so that the work for each event does not grow with their number.
func (a *Account) event(now int64) {
	if a.dirty++; a.dirty >= leastEvents+len(a.subs) {
		a.sweep(now, a.last)
	}
}

const leastEvents = 64

// Close ends the account: at the last acknowledgment or, if data stays outstanding, with the
// last payload.
func (a *Account) Close() {
	if a.first != 0 {
		end := a.end()
		a.sweepTo(end, end)
	}
}
