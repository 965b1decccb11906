package report

// Directions are both directions of data.
var Directions = [2]Direction{A2B, B2A}

// Receiver returns the place of a capture at the host that receives the data of a direction.
func (d Direction) Receiver() Vantage {
	if d == B2A {
		return VantageA
	}
	return VantageB
}

// Dir returns a direction of the connection; nil if the report is not about it.
func (c *Connection) Dir(d Direction) *ConnDir { return either(d, c.A2B, c.B2A) }

// Dir returns a direction of the subflow; nil if the report is not about it.
func (s *Subflow) Dir(d Direction) *SubDir { return either(d, s.A2B, s.B2A) }

// Dir returns a direction of the connection; nil if the report is not about it.
func (c *TCP) Dir(d Direction) *SubDir { return either(d, c.A2B, c.B2A) }

// Bulk returns the direction with more data.
func (c *Connection) Bulk() Direction {
	if c.B2A.Volume() > c.A2B.Volume() {
		return B2A
	}
	return A2B
}

func either[T any](d Direction, a2b, b2a *T) *T {
	if d == B2A {
		return b2a
	}
	return a2b
}
