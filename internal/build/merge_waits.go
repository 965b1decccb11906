package build

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// waits replaces the verdicts on data of side from that waited for delivery, and the
// figures of head-of-line blocking. They come from the capture at the receiver, because
// it shows when data arrived and what it waited for. The capture at the sender shows
// only times between ACKs.
func (m *merger) waits(x, y *report.Connection, c *pair.Conn, from conn.Side) {
	if x.Verdicts == nil || y.Verdicts == nil {
		return
	}
	d, there := DirectionOf(from), DirectionOf(from)
	if c.Flipped {
		there = DirectionOf(from.Other())
	}
	*x.Verdicts = slices.DeleteFunc(*x.Verdicts, func(v report.Verdict) bool {
		return v.Code == report.VerdictHoLBlocked && v.Direction != nil && *v.Direction == d
	})
	late := m.late(x, y)
	for _, v := range m.r.kept[c.ID[1]].waits {
		if v.Direction == nil || *v.Direction != there || v.Subflow == nil {
			continue
		}
		s := m.subs[[2]int{c.ID[1], *v.Subflow}]
		if s == nil {
			continue
		}
		v.Direction, v.Subflow = new(d), new(s.ID)
		v.Evidence = slices.Clone(v.Evidence)
		for i := range v.Evidence {
			e := &v.Evidence[i]
			if e.Packet == nil {
				continue
			}
			e.What += ", in the receiver's capture"
			e.Subflow = new(s.ID)
			if e.TS != nil {
				e.TS = new(*e.TS + late)
			}
		}
		*x.Verdicts = append(*x.Verdicts, v)
	}
}
