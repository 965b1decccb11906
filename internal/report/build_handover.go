package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
)

// noHandovers is the list of nearly every direction.
var noHandovers List[Handover]

// handovers lists the paths that died while data of side from was on them.
func handovers(m *metrics.Connection, from conn.Side) *List[Handover] {
	if len(m.Signs.Dirs[from].Handovers) == 0 {
		return &noHandovers
	}
	var out List[Handover]
	for _, h := range m.Signs.Dirs[from].Handovers {
		r := Handover{
			From: h.From, To: h.To, TS: seconds(h.Gap.From.Time - m.Conn.Start), GapMS: ms(h.Gap.Length()),
			BlockedMS: ms(h.Blocked), Reset: h.Reset,
		}
		if h.Back.Seen() {
			r.RecoveredS = new(seconds(h.Back.Time - m.Conn.Start))
		}
		out = append(out, r)
	}
	return &out
}
