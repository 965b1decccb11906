package pair

import "mpanalyze/internal/conn"

// Paired reports whether an open connection of either capture is known to be in
// the other one, too. From then on its chunks are handed to [Options.Chunk].
func (p *Pair) Paired(c *conn.Conn) bool {
	w := p.open[c]
	return w != nil && w.joint != nil
}
