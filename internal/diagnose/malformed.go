package diagnose

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// malformed judges MPTCP options without a legal form. A host ignores such an option (RFC 8684,
// Section 3), so what it would have said is lost to the peer. Where a RST follows, the verdict on the
// reset names the option as a possible cause.
func (j *judge) malformed() {
	var first *report.Event
	n := 0
	for i := range j.c.Events {
		if e := &j.c.Events[i]; e.Kind == report.EventMalformedOption {
			if n++; first == nil {
				first = e
			}
		}
	}
	if n == 0 {
		return
	}
	atLeast := ""
	if j.m.EventsOmitted > 0 {
		atLeast = "at least "
	}
	verb := "were"
	if n == 1 {
		verb = "was"
	}
	text := fmt.Sprintf("%s%s %s malformed, and hosts ignore such options: the first is of %s, %s",
		atLeast, textwrap.Count(int64(n), "MPTCP option"), verb, sender(first), first.Detail)
	j.add(report.VerdictMalformed, report.Minor, text, proof("the first of them", first), number("malformed options", float64(n), "count")).Subflow = first.Subflow
}
