package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// unneeded judges subflows that never carried anything because the connection had little
// data: no other verdict is said of such, and without one the reader may look for a fault.
func (j *judge) unneeded() {
	a, b := j.c.A2B.Volume(), j.c.B2A.Volume()
	if a+b == 0 || float64(max(a, b)) >= fewBytes || j.c.Fallback != nil || j.has(report.VerdictUncaptured) || j.has(report.VerdictOptionsCut) {
		return
	}
	last := max(j.m.Symptoms.Direction(conn.A).Data.To.Time, j.m.Symptoms.Direction(conn.B).Data.To.Time)
	for i, s := range j.subflows() {
		up := s.Handshake.Third
		if !s.Sub.Joined || !up.Seen() || s.Sub.Refused() || !j.neverCarried(s) || j.named(i) {
			continue
		}
		text := fmt.Sprintf("subflow %d (%s) was up after %s and never carried data: the connection had %s in all, and so little seldom fills one path",
			i, j.c.Subflows[i].Path, durationText(up.Time-j.start), bytesText(float64(a+b)))
		if up.Time >= last {
			text = fmt.Sprintf("subflow %d (%s) was up after %s, when all data of the connection, %s, had passed",
				i, j.c.Subflows[i].Path, durationText(up.Time-j.start), bytesText(float64(a+b)))
		}
		v := j.add(report.VerdictTooShort, report.Minor, text,
			j.packet("third packet", up, i), number("application bytes", float64(a+b), "bytes"))
		if v.Subflow = subflowID(i); up.Time < last {
			v.Remedy = "Nothing to repair. To use several paths, send more over one connection: keep it open for several requests, or use a tunnel."
		}
	}
}

// named reports whether any verdict is about a subflow.
func (j *judge) named(sub int) bool {
	return slices.ContainsFunc(j.out, func(v report.Verdict) bool { return v.Subflow != nil && *v.Subflow == sub })
}
