package metrics

import "mpanalyze/internal/conn"

// Carried is the payload that one direction of a subflow carried, in bytes.
type Carried struct {
	Bytes         int64  // copies included; on a subflow of Multipath TCP only bytes that a mapping covers
	Unique        int64  // bytes with each position of the stream counted once
	Retransmitted int64  // the rest
	Cut           string // why Bytes and Unique are not known; empty where they are
}

// Carried returns what the subflow carried of the data that side from sends. If the
// capture cut off mappings, only Retransmitted is known, for all payload. Valid once
// the connection has ended.
func (m *Connection) Carried(s *Sub, from conn.Side) Carried {
	h, l := &s.Sub.Senders[from], s.Sub.Spaces[from]
	if m.Conn.Kind == conn.Multipath {
		if why := MappedCut(l); why != "" {
			return Carried{Retransmitted: h.RexmitBytes, Cut: why}
		}
		return Carried{Bytes: l.MappedBytes(), Unique: l.MappedUnique(), Retransmitted: l.MappedBytes() - l.MappedUnique()}
	}
	return Carried{Bytes: h.Bytes, Unique: h.Bytes - h.RexmitBytes, Retransmitted: h.RexmitBytes}
}
