package subflow

import "mpanalyze/internal/packet"

// Probes are the latest keep-alives and window probes of an end that the other end did not answer
// before the next one. Only a packet of the other end after them tells whether the last one was
// answered.
type Probes struct {
	Since      Stamp // the first of them
	Unanswered int64
	Latest     int64 // time of the last of them, ns
}

// add takes a probe. heard is the time of the other end's latest packet, ns.
func (p *Probes) add(s *packet.Segment, heard int64) {
	if p.Unanswered == 0 || heard > p.Latest {
		*p = Probes{Since: stampOf(s)}
	}
	p.Unanswered++
	p.Latest = s.Time
}
