package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// What a connection or a subflow shows is made when a packet first shows it: of
// thousands of connections at once many are a SYN, or wait. Where nothing was
// made the figures are those of these, which nobody writes to.
var (
	noDir    = Dir{}
	noSubDir = SubDir{dir: &noDir}
	noTalk   = Talk{}
	noCourse = Course{}
)

// Dir returns the figures of the data that side from sends, to be read.
func (m *Connection) Dir(from conn.Side) *Dir {
	if d := m.dirs[from&1]; d != nil {
		return d
	}
	return &noDir
}

// Trace returns what explains the figures of the data that side from sends, to
// be read.
func (m *Connection) Trace(from conn.Side) *Trace { return &m.Dir(from).trace }

// Dir returns the figures of the data that side from sends on the subflow, to be
// read.
func (s *Sub) Dir(from conn.Side) *SubDir {
	if d := s.dirs[from&1]; d != nil {
		return d
	}
	return &noSubDir
}

// Talk returns how side from uses MPTCP options on the subflow, to be read.
func (s *Sub) Talk(from conn.Side) *Talk {
	if t := s.ways[from&1].talk; t != nil {
		return t
	}
	return &noTalk
}

// Course returns what explains the figures of the data that side from sends on the
// subflow, to be read.
func (s *Sub) Course(from conn.Side) *Course {
	if c := s.courses[from&1]; c != nil {
		return c
	}
	return &noCourse
}

// course is Course to be written to.
func (s *Sub) course(from conn.Side) *Course {
	if s.courses[from] == nil {
		s.courses[from] = s.newCourse(from)
	}
	return s.courses[from]
}

// dir is [Connection.Dir] to be written to.
func (m *Connection) dir(from conn.Side) *Dir {
	if m.dirs[from] == nil {
		m.dirs[from] = m.newDir(from)
		m.dirs[from].init(m, from)
	}
	return m.dirs[from]
}

// make makes all figures of a subflow.
func (m *Connection) make(s *Sub) {
	for side := range s.dirs {
		if s.dirs[side] == nil {
			s.dirs[side] = s.newDir(conn.Side(side))
			s.dirs[side].init(m, s, conn.Side(side))
		}
	}
	for side := range s.ways {
		from := conn.Side(side)
		s.ways[side].out, s.ways[side].back = s.dirs[from], s.dirs[from.Other()]
	}
}

// begin makes the figures of a subflow at its first packet that is more than a part
// of its handshake; it returns false before that. A window that is offered concerns
// the connection alone.
func (m *Connection) begin(p *conn.Packet, w *way, now int64) bool {
	s := p.Seg
	switch {
	case s.PayloadLen > 0, len(p.Pieces) > 0, p.DataAckAdvanced && (len(p.DataAcked) > 0 || m.Conn.Spaces[p.From.Other()].AcksOverHoles > 0), len(p.LateMapped) > 0:
	case m.fixed && p.NewAck: // a round trip, perhaps
	case s.Window == 0 && s.Flags&(packet.SYN|packet.RST) == 0:
	default:
		if p.NewAck && p.TCP.Ack.New {
			w.tooEarly(&p.TCP.Ack, now)
		}
		return false
	}
	m.make(w.sub)
	return true
}
