package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
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
		m.dirs[from] = spare(&m.spare[from])
		m.dirs[from].init(m, from)
	}
	return m.dirs[from]
}

// make makes all figures of a subflow.
func (m *Connection) make(s *Sub) {
	for side := range s.dirs {
		if s.dirs[side] == nil {
			s.dirs[side] = spare(&s.spare[side])
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

// GiveBack says that nobody will look at m and its connection any more: the figures
// of another connection take its memory, see [conn.Conn.Recycle].
func (m *Connection) GiveBack() { m.Conn.Recycle(m) }

// figures returns figures for c of which nothing is measured.
func (k *Collector) figures(c *conn.Conn) *Connection {
	m, ok := c.RecycledObserver().(*Connection)
	if !ok {
		return &Connection{Conn: c, k: k, series: k.cfg.Series != nil}
	}
	for side, d := range m.dirs {
		if d != nil {
			m.spare[side] = d
		}
	}
	*m = Connection{Conn: c, k: k, series: k.cfg.Series != nil, Subs: m.Subs[:0], Events: seq.Reuse(m.Events), spare: m.spare, amounts: m.amounts, Symptoms: m.Symptoms}
	return m
}

// newSub returns a subflow of which nothing is measured, in the memory of one that
// another connection had.
func (m *Connection) newSub() *Sub {
	n := len(m.Subs)
	if n == cap(m.Subs) || m.Subs[:n+1][n] == nil {
		return new(Sub)
	}
	s := m.Subs[:n+1][n]
	for side, d := range s.dirs {
		if d != nil {
			s.spare[side] = d
		}
	}
	*s = Sub{Subflow: s.Subflow, spare: s.spare, early: seq.Reuse(s.early)}
	return s
}

// spare returns what is spare, or makes it.
func spare[T any](x **T) *T {
	out := *x
	if *x = nil; out == nil {
		out = new(T)
	}
	return out
}
