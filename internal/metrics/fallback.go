package metrics

import "mpanalyze/internal/dss"

// measured returns the chunks whose delay up to a DATA_ACK can be measured. They passed for the
// first time before the connection fell back to TCP: after that there is one path, and no data
// waits for another path. They passed after the latest gap of the capture. And their packets have
// times of their own: see [packet.Untimed]. The list is valid until the next call.
func (m *Connection) measured(chunks []*dss.Chunk) []*dss.Chunk {
	if m.Conn.FellBack == 0 && !m.hasGaps() && !m.Conn.HasUntimed() {
		return chunks
	}
	list := m.scratch.measured[:0]
	for _, c := range chunks {
		if (m.Conn.FellBack == 0 || c.FirstSeen < m.Conn.FellBack) && !m.Conn.SentBeforeGap(c.FirstSeen) && !m.Conn.Untimed(c.Packet) {
			list = append(list, c)
		}
	}
	m.scratch.measured = list
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
