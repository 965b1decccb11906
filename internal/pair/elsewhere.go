package pair

import "mpanalyze/internal/conn"

// Paired reports whether an open connection of either capture is known to be in
// the other one, too.
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.watches[c]
	return w != nil && w.both != nil
}

// Elsewhere reports whether the capture at the host that sends the data of side
// from is known to be the other one, and shows data of it: of a subflow of an
// open connection, or of the connection where s is nil.
func (p *Pair) Elsewhere(c *conn.Conn, s *conn.Subflow, from conn.Side) bool {
	w := p.watches[c]
	if w == nil {
		return false
	}
	other := w.end.Other()
	if s == nil {
		b := w.both
		if b == nil {
			return false
		}
		side := b.own(w.end, from)
		return b.at[side] == other && b.watches[other].sends(b.own(other, side))
	}
	d := w.ways[2*s.ID+int(from)].lane
	return d != nil && d.out == other && d.l.flows[other].sends(d.l.side(other, d.side))
}

// sends reports whether the capture shows data that a side sends.
func (w *watch) sends(side conn.Side) bool {
	for _, f := range w.flows {
		if f.sends(side) {
			return true
		}
	}
	return false
}

// sends does so for a subflow.
func (f *flow) sends(side conn.Side) bool { return f.sub.Senders[side].Segments > 0 }
