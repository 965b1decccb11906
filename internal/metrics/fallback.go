package metrics

import "mpanalyze/internal/dss"

// beforeFallback returns the chunks that passed for the first time before the
// connection fell back to TCP. Only their delays up to a DATA_ACK are measured: after a
// fallback there is one path, and no data waits for another path. The list is valid
// until the next call.
func (m *Connection) beforeFallback(chunks []*dss.Chunk) []*dss.Chunk {
	list := m.k.before[:0]
	for _, c := range chunks {
		if c.FirstSeen < m.Conn.FellBack {
			list = append(list, c)
		}
	}
	m.k.before = list
	return list
}

// fellBack takes the fallback of the connection to TCP at a time.
func (m *Connection) fellBack(now int64) {
	m.fell = true
	for _, d := range m.dirs {
		if d != nil {
			d.fallback(now)
		}
	}
}
