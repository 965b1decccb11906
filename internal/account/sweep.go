package account

// known returns the time up to which all rules of a subflow are decided. While its path is down
// only what began before is not.
func (a *Account) known(s *Subflow, now int64) int64 {
	known := min(s.silence.known(now), a.pausesKnown(s, now))
	if s.silence.isDown(now) {
		return known
	}
	return min(known, s.sender.rounds.known(now))
}

// pausesKnown returns the time up to which the pauses of a subflow are decided.
func (a *Account) pausesKnown(s *Subflow, now int64) int64 {
	known := now
	if s.sender.pauses.begun != 0 && (!s.silence.isDown(now) || s.pausing(now)) {
		known = s.sender.pauses.begun
	}
	if known = a.votes.from(s.id, known); s.sender.heldUntil != 0 && known-s.sender.heldUntil <= s.sender.heldRTT {
		return s.sender.heldUntil
	}
	return known
}

// sweep puts together the times up to the latest time at which all rules are decided; final says
// that what is not decided does not hold.
func (a *Account) sweep(now, end int64, final bool) {
	if final {
		a.division.sweep(now, end, CongestionWindow, nil)
		return
	}
	paused := now
	a.division.sweep(now, end, CongestionWindow, func(s *Subflow) int64 {
		paused = min(paused, a.pausesKnown(s, now))
		return a.known(s, now)
	})
	for _, s := range a.opened {
		s.sender.busy.spans.drop(paused)
	}
}
