package account

// heads are the subflows that the next data in order waits for, each from a time on.
type heads struct {
	list []head // ascending
}

type head struct {
	from int64
	id   int // negative = nothing is outstanding or, away from the sender, it is not known
}

// change takes the subflow of the first data outstanding.
func (x *heads) change(now int64, id int) {
	n := len(x.list)
	switch {
	case n > 0 && x.list[n-1].id == id:
	case n > 0 && x.list[n-1].from == now:
		x.list[n-1].id = id
	case n >= 2*maxSpans:
		x.list[n-1].id = id // its beginning is not exact
	default:
		x.list = append(x.list, head{now, id})
	}
}

// drop forgets what ends at a time or before.
func (x *heads) drop(upTo int64) {
	n := 0
	for n+1 < len(x.list) && x.list[n+1].from <= upTo {
		n++
	}
	x.list = append(x.list[:0], x.list[n:]...)
}

// at returns the subflow at a time, and until when it is that one. i is how many entries begin
// at the time of the latest call or before.
func (x *heads) at(i *int, t int64) (id int, until int64) {
	for *i < len(x.list) && x.list[*i].from <= t {
		*i++
	}
	id, until = -1, never
	if *i > 0 {
		id = x.list[*i-1].id
	}
	if *i < len(x.list) {
		until = x.list[*i].from
	}
	return id, until
}

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

// sweep puts together the times up to the latest time at which all rules are decided, end at
// most.
func (a *Account) sweep(now, end int64) {
	a.dirty = 0
	to := min(end, a.rwnd.known(now, a.rtt), a.pauses.known(now, a.rtt), a.level.known(now))
	for _, s := range a.subs {
		if s != nil && *s.ended == 0 {
			to = min(to, s.known(now))
		}
	}
	a.sweepTo(now, to)
}

// sweepTo puts together the times up to a time.
func (a *Account) sweepTo(now, to int64) {
	if to = a.limit(to); to <= a.swept {
		return
	}
	for id, s := range a.subs {
		if s != nil {
			a.sweepSubflow(id, s, now, to)
		}
	}
	a.withoutHead(to)
	a.swept = to
	for _, l := range []*spans{&a.rwnd.spans, &a.pauses.application, &a.pauses.held, &a.pauses.waiting, &a.level.spans, &a.idle.spans} {
		l.drop(to)
	}
	a.heads.drop(to)
}

// sweepSubflow puts together the times of one subflow.
func (a *Account) sweepSubflow(id int, s *Subflow, now, to int64) {
	rules := a.rules(s, now)
	a.divide(id, &s.Times, rules[:], CongestionWindow, max(s.from, a.swept), min(s.end(), to))
	for _, l := range []*spans{&s.silence.down, &s.recovery.spans, &s.rounds.slowStart, &s.rounds.path, &s.unused.spans, &s.unused.scheduler} {
		l.drop(to)
	}
}

// rules returns the rules of a subflow by their precedence.
func (a *Account) rules(s *Subflow, now int64) [12]rule {
	unused, also := s.unused.cursor(now, s.srtt), s.unused.cursor(now, s.srtt)
	return [...]rule{
		{state: Down, when: s.silence.cursor(now)},
		{state: Recovery, when: s.recovery.cursor(now)},
		{state: Rwnd, when: cursor{list: a.rwnd.spans}},
		{state: Idle, when: a.idle.cursor(now)},
		{state: Application, when: a.pauses.cursor(now, a.rtt)},
		{state: Window, when: cursor{list: a.pauses.held}},
		{state: Window, when: cursor{list: a.pauses.waiting}, and: &also},
		{state: Scheduler, when: s.unused.left(now, s.srtt, a.segments-s.sent)},
		{state: SlowStart, when: cursor{list: s.rounds.slowStart}},
		{state: Path, when: cursor{list: s.rounds.path}},
		{state: Undetermined, when: unused}, // it has room, and nothing says why
		{state: Window, when: cursor{list: a.level.spans}},
	}
}

// withoutHead puts together the times of the connection in which nothing is outstanding: the
// receive window or the application decides. It also takes the time after the end of the
// subflow that the next data waits for.
func (a *Account) withoutHead(to int64) {
	limited, entry := cursor{list: a.rwnd.spans}, 0
	for t := a.swept; t < to; {
		full, next := limited.at(t)
		id, until := a.heads.at(&entry, t)
		next = min(next, until, to)
		switch s := at(a.subs, id); {
		case s != nil && t < s.end():
			if next = min(next, s.end()); t < s.from { // data before the handshake was over
				next = min(next, s.from)
				a.Times[CongestionWindow] += next - t
			}
		case full:
			a.Times[Rwnd] += next - t
		case id < 0:
			a.Times[Idle] += next - t
		default: // its subflow has ended: another one has to send it again
			a.Times[Recovery] += next - t
		}
		t = next
	}
}

// at returns the subflow with a number; nil for none.
func at[S any](subs []*S, id int) *S {
	if id < 0 || id >= len(subs) {
		return nil
	}
	return subs[id]
}
