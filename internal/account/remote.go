package account

// Remote divides the time of one data direction of a connection as a capture away from the
// sender shows it. A state counts only where the packets at that place prove it; the rest of the
// time is [Undetermined]. Times are those at which packets pass there. Events come in the order
// of the capture. The zero value is empty.
type Remote struct {
	division

	// AtReceiver says that the capture was taken at the receiver, else between the hosts.
	AtReceiver bool

	least  int64 // least round-trip time of all subflows, ns; 0 = none is known
	order  order
	offers offers
}

// Reset makes r empty but keeps its memory.
func (r *Remote) Reset() {
	*r = Remote{division: r.division.empty(), offers: offers{list: r.offers.list[:0]}}
}

// Open begins a subflow, which is established since a time. *ended is when it ended, 0 while it
// is open.
func (r *Remote) Open(id int, s *Subflow, since int64, ended *int64) {
	r.open(id, s, since, ended, Undetermined, Undetermined)
	s.away.queue.growing = true
}

// Data takes payload on a subflow.
func (r *Remote) Data(id int, now int64, p *Data) {
	s := r.subs[id]
	if r.bytes = p.Outstanding; r.begins(now, Undetermined) {
		r.order.begin(now)
	}
	if s.away.dataEnd = max(s.away.dataEnd, p.DataEnd); p.SRTT != s.srtt || p.LeastRTT != s.away.leastRTT {
		s.srtt, s.away.leastRTT = p.SRTT, p.LeastRTT
		r.roundTrips(s)
	}
	if s.repair.copied(now, p) {
		s.away.queue.growing = false
	}
	if r.AtReceiver {
		s.heard(now, p.RTO, p.Hole)
	} else {
		s.away.hole = p.Hole
		s.silence.start(now)
	}
	r.ordered(id, now, p)
	if p.New {
		r.offers.passed(&r.rwnd, now, p.SndNxt, p.Segment, r.loop(), r.rtt)
	}
	if r.AtReceiver && s.end() == never {
		s.away.queue.passed(now, p, !p.Hole && r.offers.hasRoom(now, p.SndNxt, p.Segment, r.rtt), &s.sender.rounds.filled)
	}
	r.event(now)
}

// Ack takes a packet of the receiver that acknowledges something on a subflow.
func (r *Remote) Ack(id int, now int64, p *Ack) {
	s := r.subs[id]
	r.acknowledged(now)
	r.bytes, s.flight = p.Outstanding, p.Flight
	s.repair.acked(now, p.Una, s.silence.timeout())
	if p.SACKs && s.repair.lost(now, p.Nxt, false) {
		s.away.queue.growing = false
	}
	switch {
	case !r.AtReceiver:
		s.away.hole = p.Hole
		s.silence.answered(now, p.RTO, p.Flight > 0)
	case !p.Hole && s.away.hole: // what was missing had arrived, and the capture missed it
		s.heard(now, s.silence.rto, false)
	}
	r.event(now)
}

// Answer takes any packet of the receiver on a subflow. Between the hosts it shows that the path
// is not down.
func (r *Remote) Answer(id int, now int64) {
	if s := r.subs[id]; !r.AtReceiver {
		s.silence.answered(now, s.silence.rto, s.flight > 0)
	}
}

// Heard takes any packet of the sender on a subflow. At the receiver it shows that the path is
// not down.
func (r *Remote) Heard(id int, now int64) {
	if s := r.subs[id]; r.AtReceiver {
		s.heard(now, s.silence.rto, s.away.hole)
	}
}

// Offered takes the right edge of the receive window, as a packet of the receiver announces it.
func (r *Remote) Offered(now, edge int64) { r.offers.offered(&r.rwnd, now, edge, r.rtt) }

// loop returns the least time from the announcement of a window to data that makes use of it,
// where the capture was taken, ns. The least round trip has an eighth and the unit of the
// timestamps of tolerance.
func (r *Remote) loop() int64 {
	if !r.AtReceiver {
		return 0
	}
	return max(0, r.least-r.least/8-1e6)
}

// roundTrips takes the round trips of a subflow.
func (r *Remote) roundTrips(s *Subflow) {
	if s.away.leastRTT > 0 && (r.least == 0 || s.away.leastRTT < r.least) {
		r.least = s.away.leastRTT
	}
	r.rtt = r.roundTrip(false)
}

// event ends an event.
func (r *Remote) event(now int64) {
	if r.division.event(now) {
		r.sweep(now, min(r.last, r.order.advanced), Undetermined, func(s *Subflow) int64 { return s.known(now) })
	}
}

// Close ends the account: at the last acknowledgment or, if data stays outstanding, with the
// last payload.
func (r *Remote) Close() {
	if r.first != 0 {
		r.close()
		r.sweep(r.now, r.end(), Undetermined, nil)
	}
}

// heard takes a packet of the sender; hole says whether data of the subflow is known to be
// missing after it.
func (s *Subflow) heard(now, rto int64, hole bool) {
	s.away.hole = hole
	if s.silence.answered(now, rto, hole) {
		s.away.queue.restart()
	}
}

// misses takes that data of the subflow is known to be missing: data that was sent later has
// come on others. Only at the receiver it is then certain that the path is silent: between the hosts
// the data may pass elsewhere, or be lost before.
func (s *Subflow) misses(now int64) {
	s.away.hole = true
	s.silence.start(now)
}

// known returns the time up to which all rules of the subflow are decided.
func (s *Subflow) known(now int64) int64 {
	known := min(s.silence.known(now), s.repair.known(now, s.silence.timeout()))
	if s.end() != never {
		return known // its last round does not end
	}
	return min(known, s.away.queue.known(now))
}
