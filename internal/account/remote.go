package account

// Remote divides the time of one data direction of a connection as a capture away from the
// sender shows it. A state counts only where the packets at that place prove it; the rest of the
// time is [Undetermined]. Times are those at which packets pass there. Events come in the order
// of the capture. The zero value is empty.
type Remote struct {
	division

	// AtReceiver says that the capture was taken at the receiver, else between the hosts.
	AtReceiver bool

	subs   []*RemoteSubflow // by their number; nil for those that are not open
	least  int64            // least round-trip time of all subflows, ns; 0 = none is known
	order  order
	offers offers
}

// Passed is payload that passes on a subflow.
type Passed struct {
	New         bool  // some of it was not seen before
	Bytes       int64 // its length
	Copies      int64 // segments so far that show a loss: sent again, or late in a hole
	Nxt         int64 // end of what was seen on the subflow
	Hole        bool  // something below Nxt is missing
	Segment     int64 // size of a full segment, bytes
	DataEnd     int64 // end of its data
	RcvNxt      int64 // end of the data without a gap, with it
	SndNxt      int64 // end of the data seen, with it
	Outstanding int64 // data outstanding on all subflows, with it
	SRTT        int64 // smoothed round-trip time, ns; 0 before the first sample
	LeastRTT    int64 // ns
	RTO         int64 // retransmission timeout, ns
	Delay       int64 // its delay from the sender, plus a constant, ns
	Timed       bool  // Delay is exact to a millisecond
}

// Answered is a packet of the receiver on a subflow that acknowledges something.
type Answered struct {
	Una, Nxt    int64 // all below Una is acknowledged; end of what was seen
	Flight      int64 // bytes outstanding on the subflow, after it
	Hole        bool  // something above Una and below Nxt is missing
	SACKs       bool  // SACKs cover data above something that is missing
	RTO         int64 // retransmission timeout, ns
	Outstanding int64 // data outstanding on all subflows, after it
}

// Reset makes r empty but keeps its memory.
func (r *Remote) Reset() {
	*r = Remote{division: r.division.empty(), subs: clearAll(r.subs), offers: r.offers.empty()}
}

// Open begins a subflow, which is established since a time. *ended is when it ended, 0 while it
// is open.
func (r *Remote) Open(id int, s *RemoteSubflow, since int64, ended *int64) {
	for id >= len(r.subs) {
		r.subs = append(r.subs, nil)
	}
	s.Reset()
	s.from, s.ended, s.queue.growing = since, ended, true
	r.subs[id] = s
}

// Has reports whether a subflow was opened.
func (r *Remote) Has(id int) bool { return at(r.subs, id) != nil }

// Passed takes payload on a subflow.
func (r *Remote) Passed(id int, now int64, p *Passed) {
	s := r.subs[id]
	if r.bytes = p.Outstanding; r.payload(now) {
		r.order.begin(now)
	}
	if s.dataEnd = max(s.dataEnd, p.DataEnd); p.SRTT != s.srtt || p.LeastRTT != s.leastRTT {
		s.srtt, s.leastRTT = p.SRTT, p.LeastRTT
		r.roundTrips(s)
	}
	if s.repair.passed(now, p) {
		s.queue.lost()
	}
	if r.AtReceiver {
		s.heard(now, p.RTO, p.Hole)
	} else {
		s.hole = p.Hole
		s.silence.sent(now)
	}
	r.ordered(id, now, p)
	if p.New {
		r.offers.passed(now, p.SndNxt, p.Segment, r.loop(), r.rtt)
	}
	if r.AtReceiver {
		s.queue.passed(now, p, !p.Hole && r.offers.hasRoom(now, p.SndNxt, p.Segment, r.rtt))
	}
	r.event(now)
}

// Answered takes a packet of the receiver that acknowledges something on a subflow.
func (r *Remote) Answered(id int, now int64, p *Answered) {
	s := r.subs[id]
	r.acknowledged(now)
	r.bytes, s.flight = p.Outstanding, p.Flight
	if s.repair.answered(now, p, s.silence.timeout()) {
		s.queue.lost()
	}
	switch {
	case !r.AtReceiver:
		s.hole = p.Hole
		s.silence.answered(now, p.RTO, p.Flight > 0)
	case !p.Hole && s.hole: // what was missing had arrived, and the capture missed it
		s.hole, s.silence.since = false, 0
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
		s.heard(now, s.silence.rto, s.hole)
	}
}

// Offered takes the right edge of the receive window, as a packet of the receiver announces it.
func (r *Remote) Offered(now, edge int64) { r.offers.offered(now, edge, r.rtt) }

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
func (r *Remote) roundTrips(s *RemoteSubflow) {
	if s.leastRTT > 0 && (r.least == 0 || s.leastRTT < r.least) {
		r.least = s.leastRTT
	}
	r.rtt = 0
	for _, o := range r.subs {
		if o != nil && *o.ended == 0 {
			r.rtt = max(r.rtt, o.srtt)
		}
	}
}

// event puts the times together from time to time, like that of [Account].
func (r *Remote) event(now int64) {
	if r.dirty++; r.dirty < leastEvents+len(r.subs) {
		return
	}
	r.dirty = 0
	to := min(r.last, r.order.advanced, r.offers.known(now, r.rtt))
	for _, s := range r.subs {
		if s != nil && *s.ended == 0 {
			to = min(to, s.known(now))
		}
	}
	r.sweepTo(now, to)
}

// sweepTo puts together the times up to a time.
func (r *Remote) sweepTo(now, to int64) {
	if to = r.limit(to); to <= r.swept {
		return
	}
	for id, s := range r.subs {
		if s == nil {
			continue
		}
		rules := [...]rule{
			{state: Down, when: s.silence.cursor(now)},
			{state: Recovery, when: s.repair.cursor(now, s.silence.timeout())},
			{state: Rwnd, when: cursor{list: r.offers.spans}},
			{state: Path, when: cursor{list: s.queue.spans}},
		}
		r.divide(id, &s.Times, rules[:], Undetermined, max(s.from, r.swept), min(s.end(), to))
		s.drop(to)
	}
	r.withoutHead(to)
	r.swept = to
	r.offers.spans.drop(to)
	r.heads.drop(to)
}

// withoutHead puts together the times of the connection in which it is not known what subflow
// the next data in order waits for, or in which that one is not open.
func (r *Remote) withoutHead(to int64) {
	limited, entry := cursor{list: r.offers.spans}, 0
	for t := r.swept; t < to; {
		full, next := limited.at(t)
		id, until := r.heads.at(&entry, t)
		next = min(next, until, to)
		s := at(r.subs, id)
		switch {
		case s != nil && t >= s.from && t < s.end():
			next = min(next, s.end())
		case full:
			r.Times[Rwnd] += r.before(s, t, &next)
		default:
			r.Times[Undetermined] += r.before(s, t, &next)
		}
		t = next
	}
}

// before ends the time from t to next with the beginning of a subflow, and returns its length.
func (*Remote) before(s *RemoteSubflow, t int64, next *int64) int64 {
	if s != nil && t < s.from {
		*next = min(*next, s.from)
	}
	return *next - t
}

// Close ends the account: at the last acknowledgment or, if data stays outstanding, with the
// last payload.
func (r *Remote) Close() {
	if r.first == 0 {
		return
	}
	end := r.end()
	r.order.close(&r.heads, r.subs)
	r.sweepTo(end, end)
}
