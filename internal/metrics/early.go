package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// earlyAck is an acknowledgment of a handshake: until its third packet has
// passed nobody knows whether the round trips are the sender's. Or it is the whole
// handshake, which away from the sender is the first sum of two half round trips.
type earlyAck struct {
	of          conn.Side // whose data it acknowledges
	whole       bool
	source      subflow.SampleSource
	rtt, newest int64
	at          int64
}

// maxEarly bounds the early acknowledgments of one direction.
const maxEarly = 8

// settle takes the early samples, once the capture's place is known.
func (m *Connection) settle(s *Sub) {
	for i := range s.early {
		if a := &s.early[i]; a.whole == (m.roles[a.of] != Sender) {
			m.make(s)
			s.dirs[a.of].take(a)
		}
	}
	s.early = s.early[:0]
}

func (s *SubDir) take(a *earlyAck) {
	if a.whole {
		s.roundTrips().sample(s, a.rtt, a.at)
	} else {
		s.roundTrips().acknowledged(s, &subflow.Ack{Source: a.source, RTT: a.rtt, NewestRTT: a.newest}, a.at)
	}
}

// handshakeRTT takes the round trip of a whole handshake. The sender has its own sample.
// Without timestamps it would remain the only one and stand for the whole
// transfer, so it is not taken.
func (m *Connection) handshakeRTT(s *Sub, from conn.Side, rtt, now int64) {
	switch {
	case !s.Sub.Senders[from].Timestamps():
	case !m.fixed && rtt > 0:
		s.early = append(s.early, earlyAck{of: from, whole: true, rtt: rtt, at: now})
	case !m.fixed:
	case m.roles[from] != Sender:
		m.make(s)
		d := s.dirs[from]
		d.roundTrips().sample(d, rtt, now)
	}
}

// tooEarly keeps an acknowledgment that brings something new until the capture's
// place is known.
func (f *flowDir) tooEarly(a *subflow.Ack, now int64) {
	of, n := f.from.Other(), 0
	for i := range f.sub.early {
		if e := &f.sub.early[i]; e.of == of && !e.whole {
			n++
		}
	}
	if n < maxEarly {
		f.sub.early = append(f.sub.early, earlyAck{of: of, source: a.Source, rtt: a.RTT, newest: a.NewestRTT, at: now})
	}
}
