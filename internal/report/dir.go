package report

// Directions are both directions of data.
var Directions = [2]Direction{A2B, B2A}

// Sender returns the number of the host that sends the data of a direction: 0 for A, 1 for B.
func (d Direction) Sender() int {
	if d == B2A {
		return 1
	}
	return 0
}

// Receiver returns the place of a capture at the host that receives the data of a direction.
func (d Direction) Receiver() Vantage {
	if d == B2A {
		return VantageA
	}
	return VantageB
}

// Dir returns a direction of the connection; nil if the report is not about it.
func (c *Connection) Dir(d Direction) *ConnDir { return Either(d, c.A2B, c.B2A) }

// Dir returns a direction of the subflow; nil if the report is not about it.
func (s *Subflow) Dir(d Direction) *SubDir { return Either(d, s.A2B, s.B2A) }

// Dir returns a direction of the connection; nil if the report is not about it.
func (c *TCP) Dir(d Direction) *SubDir { return Either(d, c.A2B, c.B2A) }

// Dirs returns both directions, first that of the data that A sends.
func (c *Connection) Dirs() [2]*ConnDir { return [2]*ConnDir{c.A2B, c.B2A} }

// Dirs does the same for a subflow.
func (s *Subflow) Dirs() [2]*SubDir { return [2]*SubDir{s.A2B, s.B2A} }

// Dirs does the same for a plain TCP connection.
func (c *TCP) Dirs() [2]*SubDir { return [2]*SubDir{c.A2B, c.B2A} }

// Bulk returns the direction with more data.
func (c *Connection) Bulk() Direction {
	if c.B2A.Volume() > c.A2B.Volume() {
		return B2A
	}
	return A2B
}

// Either returns what belongs to a direction: a2b, or b2a, the value of the host that sends in it.
func Either[T any](d Direction, a2b, b2a *T) *T {
	if d == B2A {
		return b2a
	}
	return a2b
}
