package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// handshakeAck is an acknowledgment in a handshake. Before the third packet of the
// handshake it is not known whether the capture is at the sender, so its round trip has
// to wait. A handshakeAck may also be the whole handshake: away from the sender, that is
// the first sum of two half round trips.
type handshakeAck struct {
	of          conn.Side // whose data it acknowledges
	whole       bool
	source      subflow.SampleSource
	rtt, newest int64
	at          int64
}

// maxHandshakeAcks bounds the acknowledgments of handshakes of one direction.
const maxHandshakeAcks = 8

// settle takes the samples of handshakes, once the capture's place is known.
func (m *Connection) settle(s *Sub) {
	for i := range s.handshakeAcks {
		if a := &s.handshakeAcks[i]; a.whole == (m.roles[a.of] != Sender) {
			m.make(s)
			s.dirs[a.of].take(a)
		}
	}
	s.handshakeAcks = s.handshakeAcks[:0]
}

func (s *SubflowDir) take(a *handshakeAck) {
	if a.whole {
		s.sample(a.rtt, a.at)
	} else {
		s.acknowledged(&subflow.Ack{Source: a.source, RTT: a.rtt, NewestRTT: a.newest}, a.at)
	}
}

// handshakeRTT takes the round trip of a whole handshake, away from the sender; a
// capture at the sender has its own sample. Without timestamps it is not taken: it
// would be the only sample and would represent the whole transfer.
func (m *Connection) handshakeRTT(s *Sub, from conn.Side, rtt, now int64) {
	switch {
	case !s.Sub.Senders[from].Timestamps():
	case !m.fixed && rtt > 0:
		s.handshakeAcks = append(s.handshakeAcks, handshakeAck{of: from, whole: true, rtt: rtt, at: now})
	case !m.fixed:
	case m.roles[from] != Sender:
		m.make(s)
		d := s.dirs[from]
		d.sample(rtt, now)
	}
}

// keepHandshakeAck keeps an acknowledgment of new data until the capture's place is known.
func (f *subflowEnd) keepHandshakeAck(a *subflow.Ack, now int64) {
	of, n := f.from.Other(), 0
	for i := range f.sub.handshakeAcks {
		if e := &f.sub.handshakeAcks[i]; e.of == of && !e.whole {
			n++
		}
	}
	if n < maxHandshakeAcks {
		f.sub.handshakeAcks = append(f.sub.handshakeAcks, handshakeAck{of: of, source: a.Source, rtt: a.RTT, newest: a.NewestRTT, at: now})
	}
}
