package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// withoutUnseen removes directions of which the capture has no packet although there were some: a
// count of them would be 0, which is wrong. Nor is it known then who ended a subflow, and how. Of
// two captures the other one may have these packets.
func (b *Builder) withoutUnseen(out *report.Connection, m *metrics.Connection) {
	noA, _ := m.Conn.Unseen(conn.A)
	noB, _ := m.Conn.Unseen(conn.B)
	if b.OnlyIn != nil || !noA && !noB {
		return
	}
	out.State, out.FallbackCode = report.ConnUnknown, nil
	for side, d := range report.Directions {
		from := conn.Side(side)
		if why := m.LacksData(from); why != "" {
			out.LeaveOut(d, why)
		}
		for i, s := range m.Subs {
			r := &out.Subflows[i]
			if [2]bool{noA, noB}[from] && s.Sub.Senders[from].Packets == 0 {
				r.State, r.ClosedBy, r.CloseReason = report.SubflowUnknown, nil, nil
			}
			if why := s.Lacks(from); why != "" {
				r.LeaveOut(d, why)
			}
		}
	}
}

// plainWithoutUnseen does the same for plain TCP.
func (b *Builder) plainWithoutUnseen(out *report.TCP, s *metrics.Sub) {
	for side, d := range report.Directions {
		if why := s.Lacks(conn.Side(side)); why != "" && b.OnlyIn == nil {
			out.LeaveOut(d, why)
			out.State, out.ClosedBy, out.CloseReason, out.FallbackCode = report.SubflowUnknown, nil, nil, nil
		}
	}
}
