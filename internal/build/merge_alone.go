package build

import (
	"maps"
	"slices"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// alone marks connections and subflows that only one capture has. It adds those that
// only the receiver's capture has: connections, numbered from next on, and subflows of
// connections that both captures have.
func (m *merger) alone(flows []pair.Subflow, next int) {
	var paired [2]map[int]bool // connections, by [conn.Conn.Order]
	for e := range paired {
		paired[e] = map[int]bool{}
		for i := range flows {
			paired[e][flows[i].ID[e].Conn] = true
		}
	}
	for seq, k := range m.s.kept {
		if !paired[pair.AtSender][seq] {
			k.mark(report.SenderHost)
		}
	}
	tcp := 0
	for _, t := range m.s.tcp {
		tcp = max(tcp, t.ID+1)
	}
	for _, seq := range slices.Sorted(maps.Keys(m.r.kept)) {
		k := m.r.kept[seq]
		if paired[pair.AtReceiver][seq] {
			continue
		}
		k.mark(report.ReceiverHost)
		if k.tcp != nil {
			k.tcp.ID += tcp
			m.s.tcp = append(m.s.tcp, k.tcp)
		}
		if k.conn != nil {
			k.conn.ID = next
			next++
			m.s.conns = append(m.s.conns, k.conn)
		}
	}
	m.subflows(flows)
}

// inOne is the reason for figures that are null because only one capture holds the
// connection or subflow.
const inOne = "only one of the two captures holds it"

// mark says which capture alone holds a connection.
func (k kept) mark(h report.Host) {
	if k.tcp != nil {
		k.tcp.OnlyIn = &h
		unmatched(k.tcp.A2B, k.tcp.B2A)
	}
	if k.conn != nil {
		k.conn.OnlyIn = &h
		unmatchedConn(k.conn.A2B, inOne)
		unmatchedConn(k.conn.B2A, inOne)
		for i := range k.conn.Subflows {
			markSubflow(&k.conn.Subflows[i], h)
		}
	}
}

func markSubflow(s *report.Subflow, h report.Host) {
	s.OnlyIn = &h
	unmatched(s.A2B, s.B2A)
}

// unmatched sets the reason for metrics that need both captures.
func unmatched(dirs ...*report.SubDir) {
	for _, d := range dirs {
		for _, name := range metrics.SubflowPairFigures() {
			d.Unavailable.Set(name, inOne)
		}
	}
}

// subflows does the same for the subflows of paired connections.
func (m *merger) subflows(flows []pair.Subflow) {
	type sub struct{ conn, id int }
	paired := [2]map[sub]bool{{}, {}}
	joint := map[int]*pair.Subflow{} // any flow of a connection of the receiver's capture
	for i := range flows {
		f := &flows[i]
		for e := range paired {
			paired[e][sub{f.ID[e].Conn, f.ID[e].Sub}] = true
		}
		joint[f.ID[pair.AtReceiver].Conn] = f
	}
	for _, seq := range slices.Sorted(maps.Keys(joint)) {
		f := joint[seq]
		x, y := m.s.kept[f.ID[pair.AtSender].Conn].conn, m.r.kept[seq].conn
		if x == nil || y == nil {
			continue
		}
		for i := range x.Subflows {
			if !paired[pair.AtSender][sub{f.ID[pair.AtSender].Conn, x.Subflows[i].ID}] {
				markSubflow(&x.Subflows[i], report.SenderHost)
			}
		}
		begun := x.Start
		for i := range y.Subflows {
			if s := &y.Subflows[i]; !paired[pair.AtReceiver][sub{seq, s.ID}] {
				adopt(x, s, f.Flipped, m.late(x, y))
				if s.StartS < 0 {
					advance(x, -s.StartS)
				}
			}
		}
		if x.Start < begun {
			m.moved++
		}
	}
}

// late returns how much later a connection begins in the receiver's capture, s. If
// the clocks cannot be compared, it is taken to begin in both captures at once.
func (m *merger) late(x, y *report.Connection) float64 {
	if m.clock.Unknown {
		return 0
	}
	return seconds(int64(y.Start)-int64(x.Start)) - m.clock.OffsetMS/1e3
}

// adopt adds a subflow of the receiver's capture to c. In that capture the connection
// began late seconds later than c. flipped says that side A there is side B of c.
func adopt(c *report.Connection, s *report.Subflow, flipped bool, late float64) {
	markSubflow(s, report.ReceiverHost)
	s.ID = len(c.Subflows)
	s.StartS, s.EndS = s.StartS+late, s.EndS+late
	if flipped {
		s.A, s.B, s.A2B, s.B2A = s.B, s.A, s.B2A, s.A2B
		s.AddressIDA, s.AddressIDB = s.AddressIDB, s.AddressIDA
		for _, side := range []*report.Side{s.Initiator, s.ClosedBy} {
			if side != nil {
				*side = map[report.Side]report.Side{report.SideA: report.SideB, report.SideB: report.SideA}[*side]
			}
		}
	}
	c.Subflows = append(c.Subflows, *s)
}
