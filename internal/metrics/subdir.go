package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
)

// SubDir is one direction of one subflow: the state that the meters of the direction
// share.
type SubDir struct {
	RoundTrips

	id   int             // ID of the subflow; -1 where there is none
	dir  *Dir            // the connection's direction
	half *subflow.Sender // the tracker's side of the direction
	sub  *Sub
	path *symptoms.Path // nil unless verdicts are asked for
	from conn.Side
	out  *outlet
	rate *subRate // of the subflow's payload; nil before the first
}

func (s *SubDir) init(m *Connection, sub *Sub, from conn.Side) {
	s.reset()
	*s = SubDir{RoundTrips: s.RoundTrips}
	s.id = sub.Sub.ID
	s.dir, s.half, s.sub, s.from = m.dir(from), &sub.Sub.Senders[from], sub, from
	if d := s.dir.why; d != nil {
		s.path = d.Follow(&sub.Subflow)
	}
	s.out = m.outlet(sub.Sub, from)
}
