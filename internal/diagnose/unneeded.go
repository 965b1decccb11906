package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// unneeded judges subflows that never carried anything because the connection had little
// data. Without this verdict, and with no other one on such a subflow, the reader may look
// for a fault.
func (j *judge) unneeded() {
	a, b := j.c.A2B.Volume(), j.c.B2A.Volume()
	if a+b == 0 || float64(max(a, b)) >= fewBytes || j.c.Fallback != nil || j.has(report.VerdictUncaptured) || j.has(report.VerdictOptionsCut) {
		return
	}
	last := max(j.m.Symptoms.Dir(conn.A).Data.To.Time, j.m.Symptoms.Dir(conn.B).Data.To.Time)
	for i, s := range j.subflows() {
		up := s.Handshake.Third
		if !s.Sub.Joined || !up.Seen() || s.Sub.Refused() || !j.neverCarried(s) || j.named(i) {
			continue
		}
		text := pathText(i, &j.c.Subflows[i]) + " was up after " + durationText(up.Time-j.start)
		if volume := bytesText(float64(a + b)); up.Time < last {
			text += " and never carried data: the connection had " + volume + " in all, and so little seldom fills one path"
		} else {
			text += ", when all data of the connection, " + volume + ", had passed"
		}
		v := j.add(report.VerdictTooShort, report.Minor, text,
			j.packet("third packet", up, i), number("application bytes", float64(a+b), "bytes"))
		if v.Subflow = subflowID(i); up.Time < last {
			v.Remedy = "The subflow itself needs no repair. To use several paths, send more over one connection: keep it open for several requests, or use a tunnel."
		}
	}
}

// named reports whether any verdict is about a subflow.
func (j *judge) named(sub int) bool {
	return slices.ContainsFunc(j.out, func(v report.Verdict) bool { return v.Subflow != nil && *v.Subflow == sub })
}
