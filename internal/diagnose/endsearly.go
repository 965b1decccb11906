package diagnose

import "mpanalyze/internal/report"

// open reports whether more of the connection may come.
func (j *judge) open() bool {
	return j.c.State == report.ConnOpen || j.c.State == report.ConnSYNReceived
}

// early reports whether what should follow a time, an answer or a repetition, may have come where the
// capture does not show it: in a gap, which has a verdict of its own, or after its end. Then a note says
// what is missing, by its form, in place of the verdict on that. After the end of a connection nothing comes. sub is
// negative where it concerns no subflow.
func (j *judge) early(sub int, since int64, form string, facts ...fact) bool {
	gaps, _, _ := j.m.Conn.Gaps()
	for i := range gaps {
		if g := &gaps[i]; g.After.Time > since && g.Before.Time-since < report.AnswerTime {
			return true
		}
	}
	shown := j.m.Conn.Until - since
	if shown >= report.AnswerTime || j.c != nil && !j.open() {
		return false
	}
	v := j.add(report.VerdictEndsEarly, report.Minor, form, append(facts, lasted("", "time from then to the end of the capture", shown))...)
	v.Subflow = subflowID(sub)
	return true
}
