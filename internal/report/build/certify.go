package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// certify marks the delays of one direction's data as matched: both captures
// show every byte behind them, the one when it left and was acknowledged, the
// other when it arrived and was in order. The HoL degree is none of them: it
// rests on the round trips that the receiver's capture shows by timestamps.
func certify(c *report.Connection, out *report.ConnDir, from conn.Side) {
	delays := []*report.Stat{out.ProtocolDelay, out.HoLQueueBytes, out.HoLQueueSegments}
	for i := range c.Subflows {
		d := c.Subflows[i].A2B
		if from == conn.B {
			d = c.Subflows[i].B2A
		}
		delays = append(delays, d.PathDelay, d.WaitingTime, d.InOrderWait)
		if d.HoLWait != nil {
			delays = append(delays, &d.HoLWait.Stat)
		}
	}
	for _, s := range delays {
		if s != nil {
			s.Evidence = report.Matched
		}
	}
}
