package metrics

import "mpanalyze/internal/conn"

// withheld reports whether a series has no value at this moment, because the capture
// has cut off what it needs. Earlier values stay written, so a series may have values
// although its figure is absent at the end.
func (m *Connection) withheld(s *Series, from conn.Side) bool {
	return s.maps && m.mapsMissing(from) || s.acks && m.acksCut(from) != ""
}

// mapsMissing does what [Connection.MapsCut] does, while the connection is open. It
// reports true if payload waits for a mapping that the capture cut off, or if
// acknowledged data is missing because the capture cut off the MP_JOIN of its subflow.
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
