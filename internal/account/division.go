package account

// division divides time among states by rules.
type division struct {
	Times Times // of the connection

	// Changed, if it is not nil, is called with each change of the state of a subflow, in the
	// order of time for each of them.
	Changed func(subflow int, s State, from, to int64)

	from, to int64 // the part of the time that is looked at; to is 0 for no end
	swept    int64 // time up to which all times are complete
	heads    heads

	first int64 // the first data; 0 = none yet
	last  int64 // the last acknowledgment
	sent  int64 // the last payload
	bytes int64 // data outstanding
	rtt   int64 // longest smoothed round-trip time of the subflows, at the sender of those with data in flight, ns
	dirty int   // events since the times were put together
}

// payload takes payload, and reports whether it is the first.
func (d *division) payload(now int64) (begins bool) {
	d.sent, begins = now, d.first == 0
	if begins {
		d.first, d.swept = now, max(now, d.from)
	}
	return begins
}

// acknowledged takes an acknowledgment.
func (d *division) acknowledged(now int64) {
	if d.bytes > 0 {
		d.last = now
	}
}

// end returns the last acknowledgment or, if data stays outstanding, the last payload.
func (d *division) end() int64 {
	if d.bytes > 0 {
		return max(d.last, d.sent)
	}
	return d.last
}

// empty returns an empty division with the same memory.
func (d *division) empty() division { return division{heads: heads{list: d.heads.list[:0]}} }

// Look limits the account to a part of the time. It is called before the first event.
func (d *division) Look(from, to int64) { d.from, d.to = from, to }

// limit returns a time, or the end of the time that is looked at if that is earlier.
func (d *division) limit(t int64) int64 {
	if d.to > 0 {
		return min(t, d.to)
	}
	return t
}

// rule is a state with the times at which it holds.
type rule struct {
	state State
	when  cursor
	and   *cursor // it holds only while this holds, too; nil for no such condition
}

// at reports whether the rule holds at a time, and until when that does not change.
func (r *rule) at(t int64) (holds bool, until int64) {
	holds, until = r.when.at(t)
	if holds && r.and != nil {
		also, change := r.and.at(t)
		return also, min(until, change)
	}
	return holds, until
}

// first returns the state of the first rule that holds at a time, or else otherwise, and until
// when that does not change, end at most.
func first(rules []rule, otherwise State, t, end int64) (s State, until int64) {
	until = end
	for i := range rules {
		holds, change := rules[i].at(t)
		until = min(until, change)
		if holds {
			return rules[i].state, until
		}
	}
	return otherwise, until
}

// divide divides the time of a subflow from t until end among the states of its rules, which are
// ordered by their precedence. Time without any goes to otherwise.
func (d *division) divide(id int, own *Times, rules []rule, otherwise State, t, end int64) {
	for at := 0; t < end; {
		state, next := first(rules, otherwise, t, end)
		head, until := d.heads.at(&at, t)
		next = min(next, until)
		own[state] += next - t
		if head == id {
			d.Times[state] += next - t
		}
		if d.Changed != nil {
			d.Changed(id, state, t, next)
		}
		t = next
	}
}
