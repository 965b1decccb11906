package live

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

const (
	// maxLooks bounds the connections whose verdicts are computed at the end of an
	// interval, as each needs a report. The connections that have waited longest come
	// first.
	maxLooks = 16
	// leastStanding is how long a verdict must hold before it is listed, in ns. A SYN that
	// waits for its answer, or a path that was just opened, is no fault yet.
	leastStanding = 3e9
	// maxVerdicts bounds the verdicts that an interval lists.
	maxVerdicts = 100
)

// standing is a verdict that held at the latest look.
type standing struct {
	of     VerdictOf
	since  int64  // time of the first look that found it, ns
	listed bool   // it was listed in an interval
	text   string // as it was at the latest look
	seen   bool   // used during a look
}

// look computes the verdicts on some of the open connections of Multipath TCP.
func (o *Monitor) look(now int64) {
	for _, c := range o.open {
		if c.m.Conn.Kind != conn.Multipath {
			continue
		}
		o.looks.add(candidate{rank: rank{last: -c.lookedAt, order: c.m.Conn.Order}, of: c})
	}
	slices.SortFunc(o.looks.list, func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	for _, e := range o.looks.list {
		c := e.of
		c.lookedAt, c.m.Conn.Until = o.number+1, now
		c.m.LookSoFar()
		o.judge(c, now, false)
	}
	o.looks.clear()
}

// finalVerdicts computes the verdicts on a connection that has ended.
func (o *Monitor) finalVerdicts(c *watched) {
	if c.m.Conn.Kind == conn.Multipath || c.m.Conn.AskedMPTCP {
		o.judge(c, c.m.Conn.Last(), true)
	}
}

// judge lists which verdicts on a connection arose and which do not hold any more. At the end
// of the connection (final) a verdict need not have held for long.
func (o *Monitor) judge(c *watched, now int64, final bool) {
	for i := range c.verdicts {
		c.verdicts[i].seen = false
	}
	for _, v := range o.opt.Builder.Verdicts(c.m) {
		s := c.standing(&v, now)
		s.seen, s.text = true, v.Text
		if s.of.Severity = v.Severity; !s.listed && (final || now-s.since >= leastStanding && v.Code != report.VerdictEndsEarly) {
			s.listed = true
			o.tell(c, s, Arose, now)
		}
	}
	c.verdicts = slices.DeleteFunc(c.verdicts, func(s standing) bool {
		if !s.seen && s.listed {
			o.tell(c, &s, Gone, now)
		}
		return !s.seen
	})
}

// standing returns the entry of a verdict that holds now, and makes it if it is new.
func (c *watched) standing(v *report.Verdict, now int64) *standing {
	for i := range c.verdicts {
		if s := &c.verdicts[i]; s.of.Code == v.Code && same(s.of.Direction, v.Direction) && same(s.of.Subflow, v.Subflow) {
			return s
		}
	}
	c.verdicts = append(c.verdicts, standing{of: VerdictOf{v.Code, v.Severity, v.Direction, v.Subflow}, since: now})
	return &c.verdicts[len(c.verdicts)-1]
}

// same reports whether two values are equal, or both are absent.
func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// tell lists a verdict that arose or does not hold any more.
func (o *Monitor) tell(c *watched, s *standing, change Change, now int64) {
	if len(o.next.Verdicts) >= maxVerdicts {
		o.next.VerdictsOmitted++
		return
	}
	v := Verdict{Change: change, Time: report.Time(packet.Unix(now)), Number: c.m.Conn.Order, VerdictOf: s.of, Text: s.text}
	if c.m.Conn.Kind == conn.Multipath {
		v.Connection = new(c.m.Conn.ID)
	}
	o.next.Verdicts = append(o.next.Verdicts, v)
}
