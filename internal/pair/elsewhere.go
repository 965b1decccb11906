package pair

import "mpanalyze/internal/conn"

// Paired reports whether an open connection of either capture is known to be in
// the other one, too.
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.watches[c]
	return w != nil && w.both != nil
}

// Elsewhere reports whether the capture at the host that sends the data of side
// from is known to be the other one: of a subflow of an open connection, or of
// the connection where s is nil.
func (p *Pair) Elsewhere(c *conn.Conn, s *conn.Subflow, from conn.Side) bool {
	w := p.watches[c]
	switch {
	case w == nil:
		return false
	case s == nil:
		return w.both != nil && w.both.at[w.both.own(w.end, from)] != w.end
	}
	l := w.links[s.ID]
	return l != nil && l.at[l.side(w.end, from)] != w.end
}
