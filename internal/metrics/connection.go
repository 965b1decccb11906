package metrics

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/symptoms"
)

// Role says where the capture point is, as one direction of a connection sees it.
type Role uint8

// The roles.
const (
	Nowhere  Role = iota // not known
	Sender               // at the host that sends the data
	Receiver             // at the host that receives it
	Between              // between the hosts

	nRoles = iota
)

// maxEvents bounds the events that a connection keeps for its report; further events
// are only counted.
const maxEvents = 2000

// Connection holds the figures of one connection.
type Connection struct {
	conn.Nop
	Conn          *conn.Conn
	Subs          []*Sub
	inUse         []*Sub // those that had not ended when the latest one began: what is done for each packet does not look at all
	Events        []conn.Event
	EventsOmitted int64
	Symptoms      symptoms.Connection

	// Vantage is the place of the capture that the figures assume: the place that was
	// known when the first payload passed. Moved says that later evidence contradicts
	// it.
	Vantage conn.Vantage
	Moved   bool

	flows   []*subflowEnd // by [conn.SubflowDir.DirIndex]: two of each subflow
	dirs    [2]*DataDir   // by the sender of the data; nil where nothing was measured yet
	roles   [2]Role       // likewise
	fixed   bool          // the capture's place is fixed
	fell    bool          // the connection fell back to TCP
	series  bool          // any series is wanted
	hidden  bool          // value of the collector's field at the connection's end
	wake    int64         // when [Connection.due] has something to do
	cuts    [2]cuts       // by the sender of the data; once the connection has ended
	k       *Collector
	scratch *scratch    // of the goroutine that processes the packet
	amounts *amounts    // nil without Config.Lines
	spare   [2]*DataDir // unused, of the connection that had m's memory before
}

// Sub holds the figures of one subflow.
type Sub struct {
	symptoms.Subflow

	flows         [2]subflowEnd    // by sender
	dirs          [2]*SubflowDir   // by the sender of the data; nil where nothing was measured yet
	handshakeAcks []handshakeAck   // kept until the capture's place is known; at most 2 maxHandshakeAcks + 2
	thirdACK      bool             // the third packet of its handshake has passed
	prios         [2]conn.Tristate // by side: whether its latest MP_PRIO makes it a backup
	spare         [2]*SubflowDir   // unused, of the subflow that had its memory before
}

// Subflow begins to measure a subflow.
func (m *Connection) Subflow(s *conn.Subflow) {
	sub := m.newSub()
	sub.Subflow.Renew(s)
	m.inUse = append(slices.DeleteFunc(m.inUse, func(s *Sub) bool { return s.Sub.Done() }), sub)
	m.Subs, m.flows = append(m.Subs, sub), append(m.flows, &sub.flows[conn.A], &sub.flows[conn.B])
	m.Symptoms.AddSubflow(&sub.Subflow)
	sub.init()
	if m.series { // Config.Series is called in the order of the subflows
		m.make(sub)
	}
}

// Event keeps an event for the report.
func (m *Connection) Event(e *conn.Event) {
	m.Symptoms.Event(e)
	switch e.Kind {
	case conn.EventFastOpen:
		m.fastOpen(e)
	case conn.EventPrio:
		m.prio(e)
	case conn.EventFallback:
		m.fellBack(e.Time)
	}
	if len(m.Events) >= maxEvents {
		m.EventsOmitted++
		return
	}
	m.Events = append(m.Events, *e)
}

// fastOpen adds the data in a SYN to the goodput. The data has no DSN, so it does not
// count in delays and order.
func (m *Connection) fastOpen(e *conn.Event) {
	d, s := m.Dir(e.From), m.Subs[e.Sub.ID]
	if d.looked.holds(e.Time) {
		m.make(s)
		made(d, &d.rates).first(s.dirs[e.From], e.Sub.FastOpen().AppBytes(), e.Time)
	}
}

// Role returns the role of the capture point for the data that side from sends.
func (m *Connection) Role(from conn.Side) Role { return m.roles[from&1] }

// place sets the capture's place and with it the roles. They never change afterwards,
// so that figures of two places are never mixed.
func (m *Connection) place() {
	m.fixed = true
	m.Vantage, _ = m.Conn.Vantage()
	m.roles = [2]Role{}
	switch m.Vantage {
	case conn.Middle:
		m.roles = [2]Role{Between, Between}
	case conn.AtA:
		m.roles = [2]Role{Sender, Receiver}
	case conn.AtB:
		m.roles = [2]Role{Receiver, Sender}
	}
	for side, d := range m.dirs {
		if d != nil {
			d.place(m.roles[side])
		}
	}
	for _, s := range m.Subs {
		m.settle(s)
	}
}

// BySegment makes it get segments: see [conn.SegmentObserver].
func (*Connection) BySegment() {}

// Packet takes one packet, or a segment of one that stands for several.
func (m *Connection) Packet(p *conn.Packet) {
	s, f, now := p.Seg, m.flows[p.DirIndex], p.Seg.Time
	m.scratch = &m.k.scratch[p.Goroutine]
	if now >= m.wake {
		m.due(p, now)
	}
	if p.FastPath && f.optionsGoOn {
		f.options.Again(s.Num, now)
	} else {
		m.unusual(p, f)
	}
	if f.out == nil && !m.begin(p, f, now) {
		if p.HasDataAck {
			f.dataAck(p, m.dir(p.From.Other()), now)
		}
		return
	}
	if p.NewAck {
		f.ack(p, now)
	}
	if p.HasPayload() {
		f.payload(p, now)
	} else if len(p.Pieces) > 0 {
		f.out.dir.placed(p, now) // a mapping came after its payload
	}
	if p.HasDataAck {
		f.dataAck(p, f.back.dir, now)
	}
	if s.Window == 0 {
		f.zeroWindow(p)
	}
}

// handshakeOver takes the third packet of the handshake of a subflow, or one after it.
func (m *Connection) handshakeOver(s *Sub, now int64) {
	s.thirdACK = true
	if syn, ack, ok := s.Sub.HandshakeHalves(); ok {
		m.handshakeRTT(s, conn.A, syn+ack, now)
		m.handshakeRTT(s, conn.B, syn+ack, now)
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
	for _, d := range m.dirs {
		if d != nil {
			d.close(at)
		}
	}
	for _, s := range m.Subs {
		for _, d := range s.dirs {
			if d != nil {
				d.out.close()
			}
		}
	}
	for _, d := range m.dirs {
		if d != nil {
			d.why.Close(at)
		}
	}
	// An rb2loc event or a handover is reported at its end with the time of its
	// beginning, so the events have to be sorted.
	slices.SortStableFunc(m.Events, func(a, b conn.Event) int { return cmp.Compare(a.Time, b.Time) })
	m.hidden = m.k.hidden
	m.cutOff()
	m.k.done(m)
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
