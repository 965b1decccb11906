package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// Lacks returns why figures that need the packets of a side on a subflow are absent: the capture
// has none, see [subflow.Flow.Unseen]. It is empty where none is missing.
func (s *Sub) Lacks(side conn.Side) string {
	if s.Sub.Unseen(side) {
		return onlyOf(side.Other())
	}
	return ""
}

// Lacks returns why figures that need the packets of a side on all subflows are absent.
func (m *Connection) Lacks(side conn.Side) string {
	switch some, all := m.Conn.Unseen(side); {
	case all:
		return onlyOf(side.Other())
	case some:
		return "of a subflow " + onlyOf(side.Other())
	}
	return ""
}

func onlyOf(seen conn.Side) string {
	return "only the packets of " + seen.String() + " are in the capture"
}

// LacksData returns why the data that side from sends is not known: packets of it are missing on a
// subflow over which it came. A subflow that carried acknowledgments alone does not matter, as long
// as the others show this end.
func (m *Connection) LacksData(from conn.Side) string {
	if _, all := m.Conn.Unseen(from); all || slices.ContainsFunc(m.Subs, func(s *Sub) bool { return s.Lacks(from) != "" && s.Sub.Senders[from].SndUna() > 1 }) {
		return m.Lacks(from)
	}
	return ""
}

// withoutOther removes what a unit reported and the packets of one end alone do not show. why is the
// reason; it is empty where there are packets of both ends.
func (v *view) withoutOther(u *unit, at catalogue.Level, out report.Figures, why string) {
	for i := range u.rows() {
		if r := &u.rows()[i]; why != "" && r.BothEnds && slices.Contains(r.Levels, at) {
			out.Figure(r.JSON).SetZero()
			v.Set(r.JSON, why)
		}
	}
}
