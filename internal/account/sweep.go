package account

// idle finds the time in which nothing is outstanding.
type idle struct {
	spans spans
	since int64 // 0 = data is outstanding
}

func (x *idle) outstanding(now int64, any bool) {
	switch {
	case !any && x.since == 0:
		x.since = now
	case any && x.since != 0:
		x.spans.add(x.since, now)
		x.since = 0
	}
}

func (x *idle) cursor(now int64) cursor { return x.spans.with(x.since != 0, x.since, now) }

// known returns the time up to which all rules of a subflow are decided. While its path is down
// only what began before is not.
func (a *Account) known(id int, s *Subflow, now int64) int64 {
	known := min(s.silence.known(now), a.pausesKnown(id, s, now))
	if s.silence.isDown(now) {
		return known
	}
	return min(known, s.sender.rounds.known(now))
}

// pausesKnown returns the time up to which the pauses of a subflow are decided.
func (a *Account) pausesKnown(id int, s *Subflow, now int64) int64 {
	known := now
	if s.sender.pauses.begun != 0 && (!s.silence.isDown(now) || s.pausing(now)) {
		known = s.sender.pauses.begun
	}
	if known = a.votes.from(id, known); s.sender.heldUntil != 0 && known-s.sender.heldUntil <= s.sender.heldRTT {
		return s.sender.heldUntil
	}
	return known
}

// sweep puts together the times up to the latest time at which all rules are decided, end at
// most; final says that what is not decided does not hold.
func (a *Account) sweep(now, end int64, final bool) {
	shared := a.until(end)
	if !final {
		shared = min(shared, a.rwnd.known(now))
	}
	least, paused := shared, now
	for id, s := range a.subs {
		if s == nil {
			continue
		}
		to := shared
		if !final {
			to = min(to, a.known(id, s, now))
			paused = min(paused, a.pausesKnown(id, s, now))
		}
		a.sweepSubflow(id, s, now, to)
		least = min(least, s.swept)
	}
	a.divideRest(shared, least)
	a.idle.spans.drop(least)
	for _, s := range a.subs {
		if s != nil {
			s.sender.busy.spans.drop(paused)
		}
	}
}

// sweepSubflow puts together the times of one subflow.
func (a *Account) sweepSubflow(id int, s *Subflow, now, to int64) {
	rules := [...]rule{
		{Down, s.silence.cursor(now)},
		{Recovery, s.repair.recovery.cursor(now)},
		{Rwnd, cursor{list: a.rwnd.spans}},
		{Idle, a.idle.cursor(now)},
		{Recovery, cursor{list: s.sender.held[Recovery]}},
		{Scheduler, cursor{list: s.sender.scheduler}},
		{Application, cursor{list: s.sender.held[Application]}},
		{Window, cursor{list: s.sender.held[Window]}},
		{Undetermined, cursor{list: s.sender.held[Undetermined]}},
		{Window, cursor{list: s.sender.rounds.plateau.spans}},
		{SlowStart, cursor{list: s.sender.rounds.slowStart}},
		{Path, cursor{list: s.sender.rounds.path}},
	}
	a.divide(id, s, rules[:], CongestionWindow, to)
	for _, l := range s.lists() {
		l.drop(to)
	}
}
