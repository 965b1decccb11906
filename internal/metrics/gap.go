package metrics

import "time"

// acrossGap is the reason why a figure over the time of a connection is absent.
const acrossGap = "packets are missing from the capture meanwhile (capture_gaps)"

// shortGap is the longest time for which packets may be missing while figures over the time
// of a connection are still given: the length of a cell, unless --interval says another one.
const shortGap = 100 * time.Millisecond

// gapReason returns why figures over the whole time of a connection, such as rates, are
// absent: packets are missing from the capture for longer than a cell. It returns "" if they
// are not.
func (m *Connection) gapReason() string {
	limit := int64(shortGap)
	if n := int64(m.k.cfg.Interval); n > 0 {
		limit = n
	}
	list, _ := m.Conn.Gaps()
	for i := range list {
		if list[i].Duration() >= limit {
			return acrossGap
		}
	}
	return ""
}

// hasGaps reports whether packets of the connection are missing from the capture.
func (m *Connection) hasGaps() bool {
	list, _ := m.Conn.Gaps()
	return len(list) > 0
}
