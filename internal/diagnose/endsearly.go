package diagnose

import (
	"fmt"

	"mpanalyze/internal/report"
)

// early reports whether what should follow a time, an answer or a repetition, may have come where the
// capture does not show it: in a gap, which has a verdict of its own, or after its end. Then a note says
// what is missing, in place of the verdict on that. After the end of a connection nothing comes. sub is
// negative where it concerns no subflow.
func (j *judge) early(sub int, since int64, missing string, proofs ...report.Proof) bool {
	gaps, _, _ := j.m.Conn.Gaps()
	for i := range gaps {
		if g := &gaps[i]; g.After.Time > since && g.Before.Time-since < report.AnswerTime {
			return true
		}
	}
	shown := j.m.Conn.Until - since
	if shown >= report.AnswerTime || j.c != nil && j.c.State != report.ConnOpen {
		return false
	}
	j.add(report.VerdictEndsEarly, report.Minor,
		fmt.Sprintf("%s when the capture ends: to judge that takes a capture of %s from there on, because lost packets are sent again until then", missing, span(report.AnswerTime)),
		append(proofs, number("time from then to the end of the capture", float64(shown)/1e6, "ms"))...).Subflow = subflowID(sub)
	return true
}
