package report

// Connection returns the connection with an id; nil for none.
func (d *Document) Connection(id int) *Connection {
	for i := range d.Connections {
		if d.Connections[i].ID == id {
			return &d.Connections[i]
		}
	}
	return nil
}

// Same returns the same connection in a report on another capture of it; nil if that has none.
func (c *Connection) Same(other *Document) *Connection {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b } // or both unknown
	for i := range other.Connections {
		o := &other.Connections[i]
		if (o.A2B != nil || o.B2A != nil) && same(c.TokenA, o.TokenA) && same(c.TokenB, o.TokenB) {
			return o
		}
	}
	return nil
}

// SameSubflow returns the subflow that a report on another capture, of one host or of both, has as s;
// nil for none.
func (c *Connection) SameSubflow(s *Subflow) (found *Subflow) {
	same := func(one, both *Subflow) bool {
		return both.A == one.A && both.B == one.B || both.ReceiverA != nil && both.ReceiverB != nil && *both.ReceiverA == one.A && *both.ReceiverB == one.B
	}
	for i := range c.Subflows {
		if t := &c.Subflows[i]; same(s, t) || same(t, s) {
			found = t
		}
	}
	return found
}

// Lead returns by how much the clock of the second capture is ahead of the clock of the first, in ms,
// at t seconds after the start of a connection. The offset of the clocks must be known.
func (d *Document) Lead(c *Connection, t float64) float64 {
	k := d.Clock
	if len(d.Captures) > 0 && d.Captures[0].First != nil {
		t += float64(c.Start-*d.Captures[0].First) / 1e9
	}
	lead := *k.Offset + k.Drift*t/1e3 // parts per million of seconds, in milliseconds
	if k.Step != nil && k.StepS != nil && t > *k.StepS {
		lead += *k.Step
	}
	return lead
}

// Away reports whether the host of the second capture sends the data of a direction.
func (c *Connection) Away(d Direction) bool { return (c.Vantage == VantageA) != (d == A2B) }
