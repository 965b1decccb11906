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
	leaveOut(other, &c.A2B, &c.B2A, &c.Unavailable)
	for j := range c.Subflows {
		s := &c.Subflows[j]
		leaveOut(other, &s.A2B, &s.B2A, &s.Unavailable)
	}
	if !c.Short { // a short report shows no events, but it needs the reason code in one of them
		c.Events = slices.DeleteFunc(c.Events, func(e Event) bool { return isOf(e.Direction, other) })
	}
	if c.Verdicts != nil {
		*c.Verdicts = slices.DeleteFunc(*c.Verdicts, func(v Verdict) bool { return isOf(v.Direction, other) })
	}
}

func (c *TCP) without(other Direction) {
	leaveOut(other, &c.A2B, &c.B2A, &c.Unavailable)
	c.Verdicts = slices.DeleteFunc(c.Verdicts, func(v Verdict) bool { return isOf(v.Direction, other) })
}

// leaveOut sets one of two directions to null.
func leaveOut[T any](other Direction, a2b, b2a **T, why *Reasons) {
	if other == A2B {
		*a2b = nil
	} else {
		*b2a = nil
	}
	why.Set(string(other), unaskedDirection)
}

func isOf(d *Direction, other Direction) bool { return d != nil && *d == other }
