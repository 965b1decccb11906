package metrics

import "mpanalyze/internal/conn"

// DelayReason returns why the data-level delays of a direction are absent;
// empty where they are not.
func (m *Connection) DelayReason(from conn.Side) string {
	maps, acks := m.MapsCut(from), m.AcksCut(from)
	switch {
	case m.Conn.Kind != conn.Multipath:
		return "a plain TCP connection has no DATA_ACK"
	case maps != "":
		return maps
	case acks != "":
		return acks
	case m.Moved:
		return "the evidence for the capture's place changed on the way; name it with --vantage"
	case m.Role(from) == Nowhere:
		return "the place of the capture is unknown; name it with --vantage"
	case m.Role(from) == Between:
		return "the capture was taken between the hosts; it needs one at either end"
	case m.Conn.Fallback != "" && !m.Dirs[from].genuine:
		return "the connection fell back to TCP before any DATA_ACK of data"
	}
	return ""
}

// Worth is what reinjected octets were good for.
type Worth struct {
	First  int64 // octets whose copy was acknowledged before the original
	Wasted int64 // octets whose original was acknowledged first
}

// Worth returns what the direction's reinjections onto other subflows were
// good for; where it is nil, why says the reason.
func (m *Connection) Worth(from conn.Side) (w *Worth, why string) {
	sp := &m.Conn.Spaces[from]
	switch why := m.MapsCut(from); {
	case why != "":
		return nil, why
	case m.Role(from) != Sender:
		return nil, "only a capture at the sender shows which copy was acknowledged first"
	case sp.CopyFirst+sp.OriginalFirst == 0:
		return nil, "no reinjected data was acknowledged"
	}
	return &Worth{First: sp.CopyFirst, Wasted: sp.OriginalFirst}, ""
}
