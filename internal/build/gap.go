package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// gapsOf returns where packets of a connection are missing from the capture, and the number of
// places that are not listed.
func gapsOf(c *conn.Conn) (out report.List[report.CaptureGap], omitted int64) {
	list, omitted, _ := c.Gaps()
	out = make(report.List[report.CaptureGap], len(list))
	for i := range list {
		g, x := &list[i], &out[i]
		end := func(s subflow.Stamp) report.GapEnd {
			return report.GapEnd{Packet: int64(s.Packet), TS: seconds(s.Time - c.Start)}
		}
		*x = report.CaptureGap{Before: end(g.Before), After: end(g.After), DurationS: seconds(g.Duration())}
		for _, m := range g.Missing {
			x.Missing = append(x.Missing, report.GapBytes{Subflow: m.Subflow, Direction: DirectionOf(m.From), Bytes: m.Bytes})
		}
	}
	return out, omitted
}
