package metrics

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
)

// Role is what the capture point is to one direction of a connection.
type Role uint8

// The roles.
const (
	Nowhere  Role = iota // not known
	Sender               // at the host that sends the data
	Receiver             // at the host that receives it
	Between              // on the way
)

// maxEvents bounds the events that a connection keeps for its report; further
// ones are counted.
const maxEvents = 2000

// Connection holds the figures of one connection.
type Connection struct {
	conn.Nop
	Conn          *conn.Conn
	Dirs          [2]Dir // by the sender of the data
	Subs          []*Sub
	Events        []conn.Event
	EventsOmitted int64
	Signs         Signs

	// Vantage is what the figures were made for: what was known when the
	// first payload passed. Moved says that the evidence says otherwise now.
	Vantage conn.Vantage
	Moved   bool

	omit   Families // that are not derived
	fixed  bool
	series bool   // any series is wanted
	hidden bool   // what the collector's field says at the connection's end
	wake   int64  // when [Connection.due] has something to do
	ways   []*way // two for each subflow: what A sends on it, and what B sends
	k      *Collector
}

// Sub holds the figures of one subflow.
type Sub struct {
	Sub  *conn.Subflow
	Dirs [2]SubDir // by the sender of the data
	Traits

	ways  [2]way // by sender
	shook bool   // its handshake is over
}

// Subflow begins to measure a subflow.
func (m *Connection) Subflow(s *conn.Subflow) {
	m.uncouple()
	sub := m.sub()
	sub.Sub = s
	for side := range sub.Dirs {
		sub.Dirs[side].init(m, sub, conn.Side(side))
	}
	m.lead(sub)
	for side := range m.Signs.Dirs {
		m.Signs.Dirs[side].leader = nil // the new one knows of no progress yet
	}
}

// Event keeps an event for the report.
func (m *Connection) Event(e *conn.Event) {
	if e.Kind == conn.EventFastOpen {
		m.fastOpen(e)
	}
	if e.Kind == conn.EventFallback {
		m.fellBack(e.Time)
	}
	if len(m.Events) >= maxEvents {
		m.EventsOmitted++
		return
	}
	m.Events = append(m.Events, *e)
}

// fastOpen counts the data in a SYN, of which an event tells, in the goodput. It
// has no DSN, so that it takes no part in delays and order.
func (m *Connection) fastOpen(e *conn.Event) {
	d, s := &m.Dirs[e.From], &m.Subs[e.Sub.ID].Dirs[e.From]
	if !d.elsewhere && d.looked.holds(e.Time) {
		d.first(s, e.Sub.FastOpen().Accepted, e.Time)
	}
}

// Role returns what the capture point is to the data that side from sends.
func (m *Connection) Role(from conn.Side) Role { return m.Dirs[from&1].role }

// place sets the capture's place, and with it the roles, for good: figures of
// two places are never mixed.
func (m *Connection) place() {
	m.fixed = true
	m.Vantage, _ = m.Conn.Vantage()
	m.Dirs[conn.A].role, m.Dirs[conn.B].role = Nowhere, Nowhere
	switch m.Vantage {
	case conn.Middle:
		m.Dirs[conn.A].role, m.Dirs[conn.B].role = Between, Between
	case conn.AtA:
		m.Dirs[conn.A].role, m.Dirs[conn.B].role = Sender, Receiver
	case conn.AtB:
		m.Dirs[conn.A].role, m.Dirs[conn.B].role = Receiver, Sender
	}
	for side := range m.Dirs {
		m.Dirs[side].queue.watch(&m.Dirs[side])
	}
	for _, s := range m.Subs {
		s.Dirs[conn.A].settle()
		s.Dirs[conn.B].settle()
	}
}

// Packet takes one packet. What only few packets bring about is told by a flag
// or two, and the rest of them passes it by.
func (m *Connection) Packet(p *conn.Packet) {
	s, w := p.Seg, m.ways[p.Way]
	now := s.Time
	if now >= m.wake {
		m.due(p, now)
	}
	if p.Usual && w.talks {
		t := w.talk
		t.Last = Mark{s.Num, now}
		t.Packets++
	} else {
		m.unusual(p, w)
	}
	if p.Fresh {
		w.answered(p, now)
	}
	if s.PayloadLen > 0 && !p.TCP.Sent.Stray {
		w.carried(p, now)
	} else if len(p.Pieces) > 0 {
		w.out.dir.placed(p, now) // a mapping came behind its payload
	}
	if p.DataAck {
		d := w.back.dir
		if o := &d.Window.latest; o.field == w.field(s) && o.ack == p.AckAt && o.next == d.space.Next() {
			d.again(now)
		} else {
			w.dataAck(p, d, now)
		}
	}
	if s.Window == 0 {
		w.shut(p)
	}
}

// shaken takes the end of the subflow's handshake.
func (s *Sub) shaken(now int64) {
	s.shook = true
	if syn, ack, ok := s.Sub.Halves(); ok {
		s.Dirs[conn.A].shaken(syn+ack, now)
		s.Dirs[conn.B].shaken(syn+ack, now)
	}
}

// Close ends the measurement.
func (m *Connection) Close(at int64) {
	if m.fixed {
		v, _ := m.Conn.Vantage()
		m.Moved = v != m.Vantage && m.Vantage != conn.Unknown
	} else {
		m.place()
	}
	for side := range m.Dirs {
		m.Dirs[side].close(at)
	}
	for _, s := range m.Subs {
		for side := range s.Dirs {
			s.Dirs[side].close()
		}
	}
	m.closeSigns(at)
	// An rb2loc event or a handover is told when it is over, and stands where it began.
	slices.SortStableFunc(m.Events, func(a, b conn.Event) int { return cmp.Compare(a.Time, b.Time) })
	m.hidden = m.k.hidden
	m.k.done(m)
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
