package account

import "slices"

// span is the time from from until to, ns.
type span struct{ from, to int64 }

// spans are times at which a rule holds, ascending and disjoint.
type spans []span

// maxSpans bounds the spans that a rule keeps until the account has used them. A time that does
// not fit is none of the rule.
const maxSpans = patience / 2

// add adds a time behind all others. A time that follows the latest without a gap continues it.
func (l *spans) add(from, to int64) {
	n := len(*l)
	switch {
	case to <= from:
	case n > 0 && (*l)[n-1].to >= from:
		(*l)[n-1].to = max((*l)[n-1].to, to)
	case n < maxSpans:
		*l = append(*l, span{from, to})
	}
}

// drop forgets what ends at a time or before.
func (l *spans) drop(upTo int64) {
	n := 0
	for n < len(*l) && (*l)[n].to <= upTo {
		n++
	}
	*l = slices.Delete(*l, 0, n)
}

// with returns the spans, and the time since a moment if the rule holds now.
func (l spans) with(holds bool, since, now int64) cursor {
	if !holds {
		return cursor{list: l}
	}
	return cursor{list: l, open: span{since, now}}
}

// holding is a rule that holds since a time, and the times at which it held before.
type holding struct {
	spans spans
	since int64 // 0 = it does not hold
}

func (x *holding) start(now int64) {
	if x.since == 0 {
		x.since = now
	}
}

func (x *holding) stop(now int64) {
	if x.since != 0 {
		x.spans.add(x.since, now)
		x.since = 0
	}
}

func (x *holding) cursor(now int64) cursor { return x.spans.with(x.since != 0, x.since, now) }

// decided returns the time up to which it is known when a rule holds: now if it holds, or if nothing
// began. Else it is not known yet of the time since a moment; 0 for none.
func decided(holds bool, since, now int64) int64 {
	if holds || since == 0 {
		return now
	}
	return since
}

// cursor reads spans in the order of time.
type cursor struct {
	list spans
	open span // a time that has not ended yet; to is the end of what is known of it
}

// at reports whether the rule holds at a time, and until when that does not change.
func (c *cursor) at(t int64) (holds bool, until int64) {
	for len(c.list) > 0 && c.list[0].to <= t {
		c.list = c.list[1:]
	}
	s := c.open
	if len(c.list) > 0 {
		s = c.list[0]
	}
	switch {
	case s.to <= t:
		return false, never
	case s.from <= t:
		return true, s.to
	}
	return false, s.from
}

// never is later than any time, ns.
const never = 1<<63 - 1

// within returns how much of a time the rule holds, ns.
func (c cursor) within(from, to int64) (n int64) {
	for t := from; t < to; {
		holds, until := c.at(t)
		if until = min(until, to); holds {
			n += until - t
		}
		t = until
	}
	return n
}
