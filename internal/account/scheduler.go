package account

import (
	"cmp"
	"slices"
)

// busyUntil returns the end of the time in which the subflow is busy, and until when that is
// known.
func (s *Subflow) busyUntil(now int64) (until, known int64) {
	known = min(s.sender.pauses.known(now), s.silence.known(now))
	until = known
	if s.pausing(now) {
		until = min(until, s.sender.pauses.begun)
	}
	if s.silence.isDown(now) {
		until = min(until, s.silence.since)
	}
	return until, known
}

// resolve finds the scheduler's share of a pause: the parts in which another subflow was busy for
// longer than a round trip of this one. It reports whether that is known, which counts as known if
// hurry is set. The rest of a pause that is mostly such parts is the application's, and has no vote.
func (a *Account) resolve(p *pause, now int64, hurry bool) bool {
	a.parts = a.parts[:0]
	for _, o := range a.opened {
		if o.id == p.id {
			continue
		}
		until, known := o.busyUntil(now)
		if known < p.to && !hurry {
			return false
		}
		for _, b := range o.sender.busy.spans {
			a.part(p, b.from, b.to)
		}
		if o.sender.busy.since != 0 {
			a.part(p, o.sender.busy.since, until)
		}
	}
	slices.SortFunc(a.parts, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	l := &a.subs[p.id].sender.scheduler
	for _, b := range a.parts {
		l.add(b.from, b.to)
	}
	if left := (cursor{list: *l}).within(p.from, p.to); 2*left > p.to-p.from {
		p.votes = false
		p.state = cmp.Or(p.state, Application)
	}
	if p.votes {
		a.votes.vote(p.woken)
	}
	return true
}

// part notes the part of a pause in which another subflow is busy.
func (a *Account) part(p *pause, from, to int64) {
	if from, to = max(from, p.from), min(to, p.to); to-from > p.srtt {
		a.parts = append(a.parts, span{from, to})
	}
}
