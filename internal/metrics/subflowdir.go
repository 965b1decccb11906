package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
)

// SubflowDir is the data of one direction of one subflow: the state that its meters share.
// The state of the packets of one host is a subflowEnd.
type SubflowDir struct {
	RoundTrips

	id   int             // ID of the subflow; -1 where there is none
	dir  *DataDir        // the connection's direction
	half *subflow.Sender // the tracker's side of the direction
	sub  *Sub
	path *symptoms.Path // nil unless verdicts are asked for
	from conn.Side
	out  *seriesWriter
	rate *subRate // of the subflow's payload; nil before the first
}

func (s *SubflowDir) init(m *Connection, sub *Sub, from conn.Side) {
	s.reset()
	*s = SubflowDir{RoundTrips: s.RoundTrips}
	s.id = sub.Sub.ID
	s.dir, s.half, s.sub, s.from = m.dir(from), &sub.Sub.Senders[from], sub, from
	if d := s.dir.why; d != nil {
		s.path = d.Follow(&sub.Subflow)
	}
	s.out = m.seriesWriter(sub.Sub, from)
}
