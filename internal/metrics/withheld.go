package metrics

import "mpanalyze/internal/conn"

// withheld reports whether a series has no value at this moment, as the capture
// has by now cut off what it rests on. What came before stays written, so that
// of a series there may be values though its figure is absent in the end.
func (m *Connection) withheld(s *Series, from conn.Side) bool {
	return s.maps && m.mapsMissing(from) || s.acks && m.acksCut(from) != ""
}

// mapsMissing is [Connection.MapsCut] while the connection goes on: payload
// waits for a mapping that the capture cut off, or data was acknowledged that
// passed on a subflow which it cut off.
func (m *Connection) mapsMissing(from conn.Side) bool {
	for _, s := range m.Subs {
		l := s.Sub.Spaces[from]
		if !l.OptionsCut {
			continue
		}
		if n, _ := l.FirstUnmapped(); n > 0 || l.UnmappedBytes > 0 {
			return true
		}
	}
	return m.k.hidden && m.Conn.Spaces[from].AckedMissingBytes() > 1
}
