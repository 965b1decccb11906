package pair

import "mpanalyze/internal/conn"

// Paired reports whether an open connection of either capture is known to be in
// the other one, too.
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.open[c]
	return w != nil && w.joint != nil
}

// ToldByPeer reports whether the other capture is known to be the one at the host
// that sends the data of side from, and shows data of it: of a subflow of an open
// connection, or of the connection where s is nil.
func (p *Pair) ToldByPeer(c *conn.Conn, s *conn.Subflow, from conn.Side) bool {
	w := p.open[c]
	if w == nil {
		return false
	}
	other := w.end.Other()
	if s == nil {
		b := w.joint
		if b == nil {
			return false
		}
		side := b.side(w.end, from)
		return b.at[side] == other && b.ends[other].sends(b.side(other, side))
	}
	d := w.dirs[2*s.ID+int(from)].matched
	return d != nil && d.from == other && d.both.ends[other].sends(d.both.side(other, d.side))
}

// sends reports whether the capture shows data that a side sends.
func (w *endConn) sends(side conn.Side) bool {
	for _, f := range w.subflows {
		if f.sends(side) {
			return true
		}
	}
	return false
}

// sends does so for a subflow.
func (f *endSubflow) sends(side conn.Side) bool { return f.sub.Senders[side].Segments > 0 }
