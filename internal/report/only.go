package report

import "slices"

// unaskedDirection is the reason for a direction that was not asked for.
const unaskedDirection = "not asked for (--direction)"

// An amender is a report whose connections can be changed: a [Document] or a [Stored].
type amender interface {
	Amend(conn func(*Connection), tcp func(*TCP))
}

// Only removes the other direction from a finished report. It also removes events of that
// direction and verdicts on it. The direction itself becomes null, with the reason.
func Only(d amender, dir Direction) {
	other := opposite(dir)
	d.Amend(func(c *Connection) { c.without(other) }, func(c *TCP) { c.without(other) })
}

func opposite(dir Direction) Direction {
	if dir == A2B {
		return B2A
	}
	return A2B
}

// without removes a direction from a report.
func (c *Connection) without(other Direction) {
	c.LeaveOut(other, unaskedDirection)
	for j := range c.Subflows {
		c.Subflows[j].LeaveOut(other, unaskedDirection)
	}
	if !c.Short { // a short report shows no events, but it needs the reason code in one of them
		c.Events = slices.DeleteFunc(c.Events, func(e Event) bool { return isOf(e.Direction, other) })
	}
	if c.Verdicts != nil {
		*c.Verdicts = slices.DeleteFunc(*c.Verdicts, func(v Verdict) bool { return isOf(v.Direction, other) })
	}
}

func (c *TCP) without(other Direction) {
	c.LeaveOut(other, unaskedDirection)
	c.Verdicts = slices.DeleteFunc(c.Verdicts, func(v Verdict) bool { return isOf(v.Direction, other) })
}

// LeaveOut sets a direction to null, with the reason.
func (c *Connection) LeaveOut(d Direction, why string) {
	leaveOut(d, &c.A2B, &c.B2A, &c.Unavailable, why)
}

// LeaveOut does the same for a subflow.
func (s *Subflow) LeaveOut(d Direction, why string) {
	leaveOut(d, &s.A2B, &s.B2A, &s.Unavailable, why)
}

// LeaveOut does the same for plain TCP.
func (c *TCP) LeaveOut(d Direction, why string) { leaveOut(d, &c.A2B, &c.B2A, &c.Unavailable, why) }

// leaveOut sets one of two directions to null. A direction that is null has its reason already.
func leaveOut[T any](other Direction, a2b, b2a **T, unavailable *Reasons, why string) {
	if d := Either(other, a2b, b2a); *d != nil {
		*d = nil
		unavailable.Set(string(other), why)
	}
}

func isOf(d *Direction, other Direction) bool { return d != nil && *d == other }
