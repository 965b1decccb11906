package account

// RemoteSubflow keeps the rules of one subflow for the data of one direction, in a capture away
// from the sender. The zero value is empty; [Remote.Open] begins it.
type RemoteSubflow struct {
	opened

	hole     bool  // data of it is known to be missing
	dataEnd  int64 // end of the highest data that it carried
	leastRTT int64 // ns
	repair   repair
	queue    queue
}

// Reset makes s empty but keeps its memory.
func (s *RemoteSubflow) Reset() {
	*s = RemoteSubflow{
		opened: s.opened.empty(), repair: repair{recovery: recovery{spans: s.repair.spans[:0]}}, queue: queue{spans: s.queue.spans[:0]},
	}
}

// heard takes a packet of the sender; hole says whether data of the subflow is known to be
// missing after it.
func (s *RemoteSubflow) heard(now, rto int64, hole bool) {
	s.hole = hole
	if s.silence.answered(now, rto, hole) {
		s.queue.restart()
	}
}

// misses takes that data of the subflow is known to be missing: data that was sent later has
// come on others. Only at the receiver it is then certain that the path is silent: between the hosts
// the data may pass elsewhere, or be lost before.
func (s *RemoteSubflow) misses(now int64) {
	s.hole = true
	s.silence.sent(now)
}

// known returns the time up to which all rules of the subflow are decided.
func (s *RemoteSubflow) known(now int64) int64 {
	return min(s.silence.known(now), s.repair.known(now, s.silence.timeout()), s.queue.known(now))
}

// drop forgets what ends at a time or before.
func (s *RemoteSubflow) drop(to int64) {
	for _, l := range []*spans{&s.silence.down, &s.repair.spans, &s.queue.spans} {
		l.drop(to)
	}
}

// repair finds the time in which a loss is repaired: from the first SACK above a hole, or the first
// copy, until all that had been seen then is acknowledged. A copy, also one that fills a hole, shows
// that it was a loss, and so does a hole that stays open for a retransmission timeout. Any other one
// was reordering, or the capture missed a packet.
type repair struct {
	recovery
	copies int64
	proved bool
}

// passed takes payload. It reports whether a loss shows.
func (x *repair) passed(now int64, p *Passed) (begins bool) {
	if p.Copies == x.copies {
		return false
	}
	x.copies, x.proved = p.Copies, true
	return x.lost(now, p.Nxt)
}

// answered takes an acknowledgment. It reports whether another loss shows.
func (x *repair) answered(now int64, p *Answered, timeout int64) (begins bool) {
	if x.since != 0 && p.Una >= x.until {
		if x.isLoss(now, timeout) {
			x.spans.keep(x.since, now)
		}
		x.since = 0
	}
	if p.SACKs && x.lost(now, p.Nxt) {
		begins, x.proved = true, false
	}
	return begins
}

// isLoss reports whether a loss is being repaired for sure.
func (x *repair) isLoss(now, timeout int64) bool {
	return x.since != 0 && (x.proved || now-x.since > timeout)
}

func (x *repair) known(now, timeout int64) int64 {
	return decided(x.isLoss(now, timeout), x.since, now)
}

func (x *repair) cursor(now, timeout int64) cursor {
	return x.spans.with(x.isLoss(now, timeout), x.since, now)
}
