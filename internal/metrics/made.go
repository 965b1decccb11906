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
	noSubDir = SubDir{id: -1, dir: &noDir}
)

// Dir returns the figures of the data that side from sends, to be read.
func (m *Connection) Dir(from conn.Side) *Dir {
	if d := m.dirs[from&1]; d != nil {
		return d
	}
	return &noDir
}

// Dir returns the figures of the data that side from sends on the subflow, to be
// read.
func (s *Sub) Dir(from conn.Side) *SubDir {
	if d := s.dirs[from&1]; d != nil {
		return d
	}
	return &noSubDir
}

// dir is [Connection.Dir] to be written to.
func (m *Connection) dir(from conn.Side) *Dir {
	if m.dirs[from] == nil {
		m.dirs[from] = new(Dir)
		m.dirs[from].init(m, from)
	}
	return m.dirs[from]
}

// make makes all figures of a subflow.
func (m *Connection) make(s *Sub) {
	for side := range s.dirs {
		if s.dirs[side] == nil {
			s.dirs[side] = new(SubDir)
			s.dirs[side].init(m, s, conn.Side(side))
		}
	}
	for side := range s.flows {
		from := conn.Side(side)
		s.flows[side].out, s.flows[side].back = s.dirs[from], s.dirs[from.Other()]
	}
}

// begin makes the figures of a subflow at its first packet that is more than a part
// of its handshake; it returns false before that. A window that is offered concerns
// the connection alone.
func (m *Connection) begin(p *conn.Packet, f *flowDir, now int64) bool {
	s := p.Seg
	switch {
	case s.PayloadLen > 0, len(p.Pieces) > 0, p.DataAckAdvanced && (len(p.DataAcked) > 0 || m.Conn.Spaces[p.From.Other()].AcksOverHoles > 0), len(p.LateMapped) > 0:
	case m.fixed && p.NewAck: // a round trip, perhaps
	case s.Window == 0 && s.Flags&(packet.SYN|packet.RST) == 0:
	default:
		if p.NewAck && p.TCP.Ack.New {
			f.tooEarly(&p.TCP.Ack, now)
		}
		return false
	}
	m.make(f.sub)
	return true
}

// GiveBack says that nobody will look at m and its connection any more.
func (m *Connection) GiveBack() { m.Conn.Recycle(nil) }
