package metrics

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// The figures of a connection or a subflow are made when a packet first needs them,
// because among thousands of connections many have only a SYN or are idle. Until then
// readers get these empty figures. No code may write to them.
var (
	noDir        = DataDir{}
	noSubflowDir = SubflowDir{id: -1, dir: &noDir}
)

// Dir returns the figures of the data that side from sends. The caller must not change
// them.
func (m *Connection) Dir(from conn.Side) *DataDir { return cmp.Or(m.dirs[from&1], &noDir) }

// Dir returns the figures of the data that side from sends on the subflow. The caller
// must not change them.
func (s *Sub) Dir(from conn.Side) *SubflowDir { return cmp.Or(s.dirs[from&1], &noSubflowDir) }

// dir does what [Connection.Dir] does for a caller that changes the figures: it makes
// them first if necessary.
func (m *Connection) dir(from conn.Side) *DataDir {
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

// begin makes the figures of a subflow at its first packet after the handshake that has
// something to measure; it returns false before that. An offered window does not count,
// because it belongs to the connection.
func (m *Connection) begin(p *conn.Packet, f *subflowEnd, now int64) bool {
	s := p.Seg
	switch {
	case p.HasPayload(), len(p.Pieces) > 0, p.DataAckAdvanced && (len(p.DataAcked) > 0 || m.Conn.Spaces[p.From.Other()].AcksOverHoles > 0), len(p.LateMapped) > 0:
	case m.fixed && p.NewAck: // it may have a round trip
	case s.Window == 0 && s.Flags&(packet.SYN|packet.RST) == 0:
	default:
		if p.NewAck && p.TCP.Ack.New {
			f.keepHandshakeAck(&p.TCP.Ack, now)
		}
		return false
	}
	m.make(f.sub)
	return true
}

// GiveBack says that m and its connection are not used any more. The figures of another
// connection then use their memory, see [conn.Conn.Recycle].
func (m *Connection) GiveBack() { m.Conn.Recycle(m) }

// figures returns empty figures for c.
func (k *Collector) figures(c *conn.Conn) *Connection {
	m, ok := c.RecycledObserver().(*Connection)
	if !ok {
		return &Connection{Conn: c, k: k, series: k.cfg.Series != nil, scratch: &k.scratch[0]}
	}
	for side, d := range m.dirs {
		if d != nil {
			m.spare[side] = d
		}
	}
	*m = Connection{Conn: c, k: k, series: k.cfg.Series != nil, scratch: &k.scratch[0], Subs: m.Subs[:0], inUse: seq.Reuse(m.inUse), flows: m.flows[:0], Events: seq.Reuse(m.Events), spare: m.spare, amounts: m.amounts, Symptoms: m.Symptoms}
	return m
}

// newSub returns empty figures for a subflow, if possible in memory that another
// connection had.
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
	*s = Sub{Subflow: s.Subflow, spare: s.spare, handshakeAcks: seq.Reuse(s.handshakeAcks)}
	return s
}

// spare returns the unused value of x, or makes a new one.
func spare[T any](x **T) *T {
	out := *x
	if *x = nil; out == nil {
		out = new(T)
	}
	return out
}
