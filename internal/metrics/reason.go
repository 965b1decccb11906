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
	case m.Conn.Fallback != "" && !m.Dir(from).Delays().genuine:
		return "the connection fell back to TCP before any DATA_ACK of data"
	}
	return ""
}

// Worth says how useful reinjected bytes were.
type Worth struct {
	First  int64 // bytes whose copy arrived before the original, by estimate
	Wasted int64 // bytes whose original arrived first

	Undecided int64 // bytes whose original was never acknowledged on its subflow
}

// Worth returns how useful the direction's reinjections onto other subflows were. If w
// is nil, why is the reason.
func (m *Connection) Worth(from conn.Side) (w *Worth, why string) {
	sp := &m.Conn.Spaces[from]
	switch why := m.MapsCut(from); {
	case why != "":
		return nil, why
	case m.Role(from) != Sender:
		return nil, "only a capture at the sender shows when a copy left and when its original was acknowledged"
	}
	got := sp.ReinjectionOutcome()
	switch {
	case got.NoRTT > 0:
		return nil, "of some data that was sent on two subflows one shows no round trip, without which the arrivals cannot be estimated"
	case got.ByReinjection+got.ByOriginal > 0:
		return &Worth{First: got.ByReinjection, Wasted: got.ByOriginal, Undecided: got.Undecided}, ""
	case got.Undecided > 0:
		return nil, "the subflows that carried the originals of the reinjected data never acknowledged it, so that nothing tells whether it arrived"
	}
	return nil, "no data was reinjected onto another subflow"
}

// acrossGap is the reason why a figure over the time of a connection is absent.
const acrossGap = "packets are missing from the capture meanwhile (capture_gaps)"

// GapReason returns why figures over the whole time of a connection, such as rates, are
// absent: packets are missing from the capture for longer than a cell. It returns "" if they
// are not.
func (m *Connection) GapReason() string {
	limit := int64(m.k.cfg.Interval)
	if limit <= 0 {
		limit = int64(DefaultInterval)
	}
	list, _, _ := m.Conn.Gaps()
	for i := range list {
		if list[i].Duration() >= limit {
			return acrossGap
		}
	}
	return ""
}

// hasGaps reports whether packets of the connection are missing from the capture.
func (m *Connection) hasGaps() bool { return m.Conn.LatestGap() != nil }
