package account

import "cmp"

// division divides time among states by rules.
type division struct {
	Times Times // of the connection

	// Changed, if it is not nil, is called with each change of the state of a subflow, in the
	// order of time for each of them.
	Changed func(subflow int, s State, from, to int64)

	from, to int64      // the part of the time that is looked at; to is 0 for no end
	subs     []*Subflow // by their number; nil for those that are not open
	opened   []*Subflow // the others, in the order of their numbers
	nobody   Subflow    // never opens: it has the time in which the next data in order waits for no subflow
	rwnd     rwndLimit
	idle     holding // nothing is outstanding; at the sender

	head  int   // the subflow that the next data in order waits for; negative = none
	since int64 // since when

	first int64 // the first data; 0 = none yet
	last  int64 // the last acknowledgment
	sent  int64 // the last payload
	bytes int64 // data outstanding
	rtt   int64 // longest smoothed round-trip time of the subflows, at the sender of those with data in flight, ns
	now   int64 // the latest event
	dirty int   // events since the times were put together
	every int   // they are put together after so many events; 0 = leastEvents and one for each subflow
}

// leastEvents is after how many events the times are put together.
const leastEvents = 64

// empty returns an empty division with the same memory.
func (d *division) empty() division {
	clear(d.subs)
	clear(d.opened)
	d.nobody.Reset()
	return division{
		subs: d.subs[:0], opened: d.opened[:0], nobody: d.nobody, rwnd: rwndLimit{spans: d.rwnd.spans[:0]}, idle: holding{spans: d.idle.spans[:0]},
	}
}

// Look limits the account to a part of the time. It is called before the first event.
func (d *division) Look(from, to int64) { d.from, d.to = from, to }

// Has reports whether a subflow was opened.
func (d *division) Has(id int) bool { return id >= 0 && id < len(d.subs) && d.subs[id] != nil }

// open begins a subflow, which is established since a time. *ended is when it ended, 0 while it is
// open. The states are those of the connection before and behind that.
func (d *division) open(id int, s *Subflow, since int64, ended *int64, before, behind State) {
	s.Reset()
	for id >= len(d.subs) {
		d.subs = append(d.subs, nil)
	}
	d.subs[id], s.id, s.from, s.ended, s.before, s.behind = s, id, since, ended, before, behind
	d.opened = d.opened[:0]
	for _, o := range d.subs {
		if o != nil {
			d.opened = append(d.opened, o)
		}
	}
}

// begins takes payload, and reports whether it is the first; nobody is the state of the connection
// while the next data waits for no subflow.
func (d *division) begins(now int64, nobody State) bool {
	if d.sent = now; d.first != 0 {
		return false
	}
	d.first, d.head, d.since = now, -1, now
	d.nobody.id, d.nobody.from, d.nobody.before = -1, never, nobody
	return true
}

// acknowledged takes an acknowledgment.
func (d *division) acknowledged(now int64) {
	if d.bytes > 0 {
		d.last = now
	}
}

// event takes an event and reports whether the times are to be put together: from time to time, after
// as many events as there are subflows, so that the work for each does not grow with their number.
func (d *division) event(now int64) bool {
	d.now = now
	d.dirty++
	return d.dirty >= cmp.Or(d.every, leastEvents+len(d.subs))
}

// end returns the last acknowledgment or, if data stays outstanding, the last payload.
func (d *division) end() int64 {
	if d.bytes > 0 {
		return max(d.last, d.sent)
	}
	return d.last
}

// waitsFor takes the subflow that the next data in order waits for since a time.
func (d *division) waitsFor(since int64, id int) {
	if !d.Has(id) {
		id = -1
	}
	if id == d.head {
		return
	}
	was := &d.nobody
	if d.head >= 0 {
		was = d.subs[d.head]
	}
	was.heads.add(d.since, since)
	d.head, d.since = id, max(since, d.since)
}

// rule is a state with the times at which it holds.
type rule struct {
	state State
	when  cursor
}

// first returns the state of the first rule that holds at a time, or else otherwise, and until
// when that does not change, end at most.
func first(rules []rule, otherwise State, t, end int64) (s State, until int64) {
	until = end
	for i := range rules {
		holds, change := rules[i].when.at(t)
		until = min(until, change)
		if holds {
			return rules[i].state, until
		}
	}
	return otherwise, until
}

// divide divides the time of a subflow up to a time among the states of its rules, which are
// ordered by their precedence. Time without any goes to otherwise. The connection has the state
// of the subflow that the next data waits for.
func (d *division) divide(s *Subflow, otherwise State, now, to int64) {
	rules := [...]rule{
		{Down, s.silence.cursor(now)},
		{Path, cursor{list: s.sender.rounds.filled.deep}},
		{Recovery, s.repair.cursor(now, s.silence.timeout())},
		{Rwnd, cursor{list: d.rwnd.spans}},
		{Idle, d.idle.cursor(now)},
		{Recovery, cursor{list: s.sender.held[Recovery]}},
		{Scheduler, cursor{list: s.sender.scheduler}},
		{Application, cursor{list: s.sender.held[Application]}},
		{Path, cursor{list: s.sender.rounds.filled.spans}},
		{Window, cursor{list: s.sender.held[Window]}},
		{Undetermined, cursor{list: s.sender.held[Undetermined]}},
		{Window, cursor{list: s.sender.rounds.plateau.spans}},
		{SlowStart, cursor{list: s.sender.rounds.slowStart}},
		{Path, cursor{list: s.sender.rounds.path}},
		{Path, cursor{list: s.away.queue.spans}},
	}
	waits := s.heads.with(d.head == s.id, d.since, to)
	for t := max(d.first, d.from, s.swept); t < to; {
		held, rest, end := rules[3:4], s.behind, to // the receive window limits without the subflow, too
		open := t >= s.from && t < s.end()
		if open {
			held, rest, end = rules[:], otherwise, min(to, s.end())
		} else if t < s.from {
			rest, end = s.before, min(to, s.from)
		}
		state, next := first(held, rest, t, end)
		waiting, until := waits.at(t)
		if next = min(next, until); waiting {
			d.Times[state] += next - t
		}
		if open {
			s.Times[state] += next - t
			if !waiting && state.hasRoom() {
				s.Room += next - t
			}
			if d.Changed != nil {
				d.Changed(s.id, state, t, next)
			}
		}
		t = next
	}
	s.swept = max(s.swept, to)
	for _, l := range s.lists() {
		l.drop(to)
	}
}

// sweep puts together the times up to a time at which all rules are decided, end at most. known
// returns that time for a subflow; nil says that what is not decided does not hold.
func (d *division) sweep(now, end int64, otherwise State, known func(*Subflow) int64) {
	shared := d.until(end)
	if d.dirty = 0; known != nil {
		shared = min(shared, d.rwnd.known(now))
	}
	least := shared
	for _, s := range d.opened {
		to := shared
		if known != nil {
			to = min(to, known(s))
		}
		d.divide(s, otherwise, now, to)
		least = min(least, s.swept)
	}
	d.divide(&d.nobody, 0, now, shared)
	d.rwnd.spans.drop(least)
	d.idle.spans.drop(least)
}

// roundTrip returns the longest smoothed round-trip time of the subflows, or of those with data in
// flight, ns.
func (d *division) roundTrip(inFlight bool) (longest int64) {
	for _, s := range d.opened {
		if s.end() == never && (!inFlight || s.flight > 0) {
			longest = max(longest, s.srtt)
		}
	}
	return longest
}

// until returns a time, or the end of the time that is looked at if that is earlier.
func (d *division) until(t int64) int64 {
	if d.to > 0 {
		return min(t, d.to)
	}
	return t
}
