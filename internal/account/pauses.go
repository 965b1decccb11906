package account

const (
	// atOnce is what a process needs to wake up, ns.
	atOnce = 500_000
	// atOnceAway is the same where the capture was taken at the receiver: the least round trip is known to a
	// millisecond, the unit of timestamps, and a segment takes about one on a slow link.
	atOnceAway = 2_000_000
	// near is the time within which one wake-up writes to two subflows, and within which segments
	// follow each other, ns.
	near = 1_000_000
	// pauseSegments is how many segments are acknowledged in a pause, if some stay in flight.
	pauseSegments = 3
)

// pauses finds the pauses of a subflow. A sender that its congestion window holds back answers the
// ACK that makes room at once. So what an ACK is not answered with tells who holds back, and it tells
// it for the whole time since the data before: that is a pause. In it several segments are
// acknowledged, by their bytes and never by the number of ACKs, or nothing stays in flight. The
// ACKs that are answered do not count.
type pauses struct {
	begun   int64 // the latest data that the subflow did not carry before, or when it was opened; 0 = it ended
	packets int   // of the account, then
	acked   int64 // bytes acknowledged since
	enough  int64 // when these were pauseSegments; 0 = they are not
	empty   int64 // since when nothing is in flight on the subflow; 0 = something is
	asked   int64 // the first data of the peer since begun; 0 = none
	copied  bool  // something was sent again since begun

	atOnce  int64 // the time within which data answers an ACK where the capture was taken
	latest  int64 // the latest data that the subflow did not carry before
	lastAck int64 // the latest ACK of the subflow
	small   pause // may end at a small segment; its to is 0 for none
}

// pause is a pause of a subflow.
type pause struct {
	id       int // the subflow
	from, to int64
	woken    bool  // what ends it follows an ACK at once, and data was outstanding until then
	votes    bool  // it votes on the state of the pauses around it
	state    State // the state of one for which no vote counts; Undetermined = the vote counts
	srtt     int64 // smoothed round-trip time at its end, ns
	packets  int   // of the account, at its end
}

// open begins with a subflow that is established since a time.
func (x *pauses) open(since int64, packets int, atOnce int64) {
	*x = pauses{begun: since, empty: since, packets: packets, atOnce: atOnce}
}

// begin begins the time that may become a pause.
func (x *pauses) begin(now int64, packets int) {
	x.begun, x.packets, x.acked, x.enough, x.empty, x.asked, x.copied = now, packets, 0, 0, 0, 0, false
}

// acknowledged takes bytes that were acknowledged, and those still in flight.
func (x *pauses) acknowledged(now, bytes, flight, segment int64) {
	x.lastAck = now
	if x.acked += bytes; x.enough == 0 && x.acked >= pauseSegments*segment {
		x.enough = now
	}
	if flight == 0 && x.empty == 0 {
		x.empty = now
	}
}

// lasts reports whether the time since begun up to a time is a pause.
func (x *pauses) lasts(now int64) bool {
	return x.begun != 0 && (x.enough != 0 && now-x.enough >= x.atOnce || x.empty != 0 && now-x.empty >= x.atOnce)
}

// pausing reports whether the time since the latest new data up to a time is a pause. What comes while
// the path is down does not show it.
func (s *Subflow) pausing(now int64) bool {
	if s.silence.isDown(now) {
		now = s.silence.since
	}
	return s.sender.pauses.lasts(now)
}

// known returns the time up to which it is known when the subflow pauses.
func (x *pauses) known(now int64) int64 {
	open := x.small.to != 0 && now-x.small.to <= near
	if x.begun == 0 || x.lasts(now) && !open {
		return now
	}
	return x.begun
}

// answers reports whether data at a time may answer data of the peer: that came in the last
// quarter of the pause and not earlier in it.
func (x *pauses) answers(now int64) bool {
	return x.asked != 0 && 4*(x.asked-x.begun) >= 3*(now-x.begun)
}

// newData takes data that the subflow did not carry before. full says that the send buffer was full until then.
func (a *Account) newData(s *Subflow, now int64, small, full bool) {
	x := &s.sender.pauses
	p := pause{votes: !x.copied, woken: a.woken(x, now)}
	if full && p.woken && x.asked == 0 {
		p.state, p.votes = Window, false
	}
	alone := now-x.latest > near
	if now-a.latestNew > near {
		if a.bursts[0]++; now-a.lastAck <= x.atOnce {
			a.bursts[1]++
		}
	}
	x.latest, a.latestNew = now, now
	a.ended(now)
	if x.small.to != 0 {
		if now-x.small.to <= near {
			a.endPause(s, x.small.to, x.small)
		}
		x.small.to = 0
	}
	if small && alone && now-x.lastAck <= x.atOnce && s.pausing(now) {
		x.small, x.small.to = p, now // Nagle's algorithm held it back, if it stays alone
		return
	}
	a.endPause(s, now, p)
	a.decide(now, false)
}

// woken reports whether an ACK woke the sender that sends new data: the data follows it at once,
// or data of another subflow that does. Data was outstanding until then, and it is no answer to
// the peer.
func (a *Account) woken(x *pauses, now int64) bool {
	if now-a.lastAck <= x.atOnce {
		a.answered = now
	} else if now-a.answered > near {
		return false
	}
	return a.bytes > 0 || now-a.idle.since <= near && !x.answers(now)
}

// copied takes data that is sent again. It ends a pause, which was a timeout: who holds new data
// back does not show.
func (a *Account) copied(s *Subflow, now int64) {
	if s.pausing(now) {
		a.endPause(s, now, pause{state: Recovery})
	}
	s.sender.pauses.copied = true
}

// endPause ends the time since the latest new data of a subflow, which may be a pause.
func (a *Account) endPause(s *Subflow, now int64, p pause) {
	if s.pausing(now) {
		p.id, p.from, p.to, p.srtt, p.packets = s.id, s.sender.pauses.begun, now, s.srtt, a.packets
		if limited := (cursor{list: a.rwnd.spans}); 2*limited.within(p.from, p.to) > p.to-p.from {
			p.votes = false // the receive window explains it
		}
		a.votes.queue = append(a.votes.queue, p)
		s.sender.busy.stop(p.from)
		s.sender.rounds.plateau.restart()
	}
	if s.sender.pauses.begin(now, a.packets); s.repair.since == 0 {
		s.sender.busy.start(now)
	}
}

// splitPause ends a pause at a time, and begins another one there, which goes on.
func (a *Account) splitPause(s *Subflow, at int64, p pause) {
	empty := s.sender.pauses.empty
	a.endPause(s, at, p)
	s.sender.pauses.empty, s.sender.pauses.enough = empty, at-s.sender.pauses.atOnce
}

// ended ends the pauses of subflows that have ended by a time.
func (a *Account) ended(now int64) {
	for _, s := range a.opened {
		if s.end() <= now && s.sender.pauses.begun != 0 {
			a.endPause(s, s.end(), pause{votes: !s.sender.pauses.copied})
			s.sender.pauses.begun, s.sender.busy.since = 0, 0
			s.sender.rounds.stop()
		}
	}
}

// endAll ends all pauses with the direction. Behind its latest new data the application has no more:
// all of that is a pause if all is acknowledged at the end.
func (a *Account) endAll(end int64) {
	a.ended(end)
	for _, s := range a.opened {
		if s.sender.pauses.begun == 0 {
			continue
		}
		x, at := &s.sender.pauses, a.latestNew
		if x.begun < at && (a.bytes == 0 || s.pausing(at)) {
			a.splitPause(s, at, pause{votes: !x.copied})
		}
		if a.bytes == 0 {
			x.enough = x.begun - x.atOnce
		}
		if s.pausing(end) {
			a.endPause(s, end, pause{state: Application})
		}
		x.begun = 0
	}
	a.decide(end, true)
}

// split ends the part of long pauses that has passed, so that what is kept for them is bounded.
func (a *Account) split(now int64) {
	for _, s := range a.opened {
		if a.packets-s.sender.pauses.packets <= patience || !s.pausing(now) {
			continue
		}
		a.splitPause(s, now, pause{})
		s.sender.busy.since = 0
	}
}
