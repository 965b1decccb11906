package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// gaps fills in where packets of a connection are missing from the capture.
func (b *Builder) gaps(out *report.Connection, c *conn.Conn) {
	list, omitted := c.Gaps()
	out.CaptureGaps, out.CaptureGapsOmitted = make(report.List[report.CaptureGap], len(list)), omitted
	for i := range list {
		g, x := &list[i], &out.CaptureGaps[i]
		end := func(s subflow.Stamp) report.GapEnd {
			return report.GapEnd{Packet: int64(s.Packet), TS: seconds(s.Time - c.Start)}
		}
		*x = report.CaptureGap{Before: end(g.Before), After: end(g.After), DurationS: seconds(g.Duration())}
		for _, m := range g.Missing {
			x.Missing = append(x.Missing, report.GapBytes{Subflow: m.Subflow, Direction: DirectionOf(m.From), Bytes: m.Bytes})
		}
	}
}
