package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// leftMuch is the part of the time in which a path was open from which on it matters that it
// carried nothing up to the end, percent.
const leftMuch = 25.0

// leftFrom judges a path that carried nothing from some time on, although others did up to the end.
// It may have carried much before. why explains it by other causes than the scheduler.
func (j *judge) leftFrom(i int, from conn.Side, why string) {
	c, data := j.m.Subs[i].Path(from), j.m.Symptoms.Dir(from).Data
	share := percent(c.IdleRun, c.OpenCells)
	if c.IdleRun < idleLeast || share < leftMuch || c.OpenUntil < data.To.Time-cell {
		return
	}
	v := j.add(report.VerdictPathIdle, warningIf(why == ""),
		fmt.Sprintf("%s carried nothing from %s on, up to the end of the data %s later, although others did%s",
			pathText(i, &j.c.Subflows[i]), durationText(c.LastData.Time-j.start), durationText(data.To.Time-c.LastData.Time), why),
		j.packet("last data on it", c.LastData, i), j.packet("last data", data.To, -1),
		number("time idle at the end while others carried data", share, "percent"))
	v.Subflow = subflowID(i)
	costs(v, share, min(c.IdleRun*cell, data.To.Time-c.LastData.Time))
}
