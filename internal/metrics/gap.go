package metrics

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
