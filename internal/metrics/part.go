package metrics

import "mpanalyze/internal/conn"

// Part reports whether only a part of each direction's time is looked at
// ([Config.Skip], [Config.Until]).
func (m *Connection) Part() bool { return m.k.cfg.Skip > 0 || m.k.cfg.Until > 0 }

// First returns the bytes of data that subflow s was the first to carry in the time
// that is looked at. If s is nil, it returns the bytes of all subflows. Valid once the
// connection has ended.
func (m *Connection) First(s *Sub, from conn.Side) int64 {
	switch {
	case m.Part() && s == nil:
		return m.Dir(from).Goodput().Bytes()
	case m.Part():
		return s.Dir(from).firstBytes()
	case s == nil:
		return m.Conn.Spaces[from].AppBytes()
	}
	return s.Sub.Spaces[from].FirstBytes
}

// Again returns the bytes of data that passed in the time that is looked at and had
// passed before, on the same subflow or on another one. Valid once the connection has
// ended.
func (m *Connection) Again(from conn.Side) (n int64) {
	if m.Part() {
		return m.Dir(from).copies()
	}
	for _, s := range m.Subs {
		n += m.Carried(s, from).Retransmitted + s.Sub.Spaces[from].ReinjectedBytes
	}
	return n
}

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
