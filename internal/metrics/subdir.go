package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// SubDir is one direction of one subflow: what the meters of the direction have
// in common of it.
type SubDir struct {
	RoundTrips

	dir  *Dir            // of the connection
	half *subflow.Sender // the tracker's side of the direction
	sub  *Sub
	path *PathProgress
	from conn.Side
	out  *outlet
}

func (s *SubDir) init(m *Connection, sub *Sub, from conn.Side) {
	s.dir, s.half, s.sub, s.path, s.from = m.dir(from), &sub.Sub.Senders[from], sub, sub.progress(from), from
	s.out = m.outlet(sub.Sub, from)
}

// id returns the ID of the subflow; -1 where there is none.
func (s *SubDir) id() int {
	if s.sub == nil {
		return -1
	}
	return s.sub.Sub.ID
}
