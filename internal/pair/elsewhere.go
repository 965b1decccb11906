package pair

import "mpanalyze/internal/conn"

// Paired reports whether an open connection of either capture is known to be in
// the other one, too.
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.open[c]
	return w != nil && w.both != nil
}

// Elsewhere reports whether the capture at the host that sends the data of side
// from is known to be the other one, and shows data of it: of a subflow of an
// open connection, or of the connection where s is nil.
func (p *Pair) ToldByPeer(c *conn.Conn, s *conn.Subflow, from conn.Side) bool {
	w := p.open[c]
	if w == nil {
		return false
	}
	other := w.end.Other()
	if s == nil {
		b := w.both
		if b == nil {
			return false
		}
		side := b.sideAt(w.end, from)
		return b.at[side] == other && b.ends[other].sends(b.sideAt(other, side))
	}
	d := w.dirs[2*s.ID+int(from)].matched
	return d != nil && d.from == other && d.link.ends[other].sends(d.link.side(other, d.side))
}

// sends reports whether the capture shows data that a side sends.
func (w *endConn) sends(side conn.Side) bool {
	for _, f := range w.flows {
		if f.sends(side) {
			return true
		}
	}
	return false
}

// sends does so for a subflow.
func (f *endSubflow) sends(side conn.Side) bool { return f.sub.Senders[side].Segments > 0 }
