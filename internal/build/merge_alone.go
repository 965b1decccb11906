package build

import (
	"maps"
	"slices"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// alone adds what only the receiver's capture has: connections, numbered from next on, and
// subflows of connections that both captures have. Figures that need both captures get
// their reasons in all that only one of them has.
func (m *merger) alone(next int) {
	for _, k := range m.s.kept {
		k.unmatched()
	}
	tcp := 0
	for _, t := range m.s.tcp {
		tcp = max(tcp, t.ID+1)
	}
	for _, order := range slices.Sorted(maps.Keys(m.r.kept)) {
		k, f := m.r.kept[order], m.paired[order]
		k.unmatched()
		switch {
		case f != nil:
			m.addSubflows(m.s.kept[f.ID[0].Conn].conn, k.conn, f.Flipped)
		case k.tcp != nil:
			k.tcp.ID += tcp
			m.s.tcp = append(m.s.tcp, k.tcp)
		case k.conn != nil:
			k.conn.ID = next
			next++
			m.s.conns = append(m.s.conns, k.conn)
		}
	}
}

// inOne is the reason for figures that are null because only one capture holds the
// connection or subflow.
const inOne = "only one of the two captures holds it"

// unmatched sets the reason for metrics that need both captures.
func (k kept) unmatched() {
	if k.tcp != nil && k.tcp.OnlyIn != nil {
		unmatched(k.tcp.Dirs())
	}
	if k.conn == nil {
		return
	}
	for _, d := range k.conn.Dirs() {
		if k.conn.OnlyIn != nil {
			unmatchedConn(d, inOne)
		}
	}
	for i := range k.conn.Subflows {
		if s := &k.conn.Subflows[i]; s.OnlyIn != nil {
			unmatched(s.Dirs())
		}
	}
}

func unmatched(dirs [2]*report.SubDir) {
	for _, d := range dirs {
		for _, name := range metrics.SubflowPairFigures() {
			d.Unavailable.Set(name, inOne)
		}
	}
}

// addSubflows adds to x the subflows that only the receiver's capture has. There the connection is
// y. flipped says that side A there is side B of x.
func (m *merger) addSubflows(x, y *report.Connection, flipped bool) {
	if x == nil || y == nil {
		return
	}
	begun := x.Start
	for i := range y.Subflows {
		s := y.Subflows[i]
		if s.OnlyIn == nil {
			continue
		}
		late := m.late(x, y)
		s.ID, s.StartS, s.EndS = len(x.Subflows), s.StartS+late, s.EndS+late
		if flipped {
			flip(&s)
		}
		x.Subflows = append(x.Subflows, s)
		if s.StartS < 0 {
			advance(x, -s.StartS)
		}
	}
	if x.Start < begun {
		m.moved++
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

// flip exchanges the sides of a subflow.
func flip(s *report.Subflow) {
	s.A, s.B, s.A2B, s.B2A = s.B, s.A, s.B2A, s.A2B
	s.AddressIDA, s.AddressIDB = s.AddressIDB, s.AddressIDA
	for _, side := range []*report.Side{s.Initiator, s.ClosedBy} {
		if side != nil {
			*side = map[report.Side]report.Side{report.SideA: report.SideB, report.SideB: report.SideA}[*side]
		}
	}
}
