package diagnose

import "mpanalyze/internal/report"

// malformed judges MPTCP options without a legal form. A host ignores such an option (RFC 8684,
// Section 3), so what it would have said is lost to the peer. Where a RST follows, the verdict on the
// reset names the option as a possible cause.
func (j *judge) malformed() {
	first, n := j.event(report.EventMalformedOption), 0
	if first == nil {
		return
	}
	for i := range j.c.Events {
		if j.c.Events[i].Kind == report.EventMalformedOption {
			n++
		}
	}
	j.add(report.VerdictMalformed, report.Minor, "", when(j.m.EventsOmitted > 0, "omitted"), word("by", sender(first)), word("detail", first.Detail),
		proof("the first of them", first), counted("options", "malformed options", n)).Subflow = first.Subflow
}
