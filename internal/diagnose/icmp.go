package diagnose

import (
	"slices"

	"mpanalyze/internal/report"
)

// nothingPassed are the verdicts that packets did not arrive, of which ICMP messages may say why.
var nothingPassed = []report.VerdictCode{
	report.VerdictUnanswered, report.VerdictSYNDropped, report.VerdictJoinUnanswered, report.VerdictHandshake, report.VerdictPathDied, report.VerdictStalled,
	report.VerdictAllStopped, report.VerdictBlackHole, report.VerdictEndsEarly,
}

// icmpErrors enters into a verdict that packets of a subflow did not arrive what ICMP messages say of them.
func (j *judge) icmpErrors(v *report.Verdict) {
	i := report.Known(v.Subflow)
	if !slices.Contains(nothingPassed, v.Code) || i >= len(j.m.Subs) {
		return
	}
	for _, from := range sides {
		if u := j.m.Subs[i].Sub.ICMPErrors(from); u.Packets > 0 {
			enter(v, word("icmp", u.Latest.String()), word("icmp_from", u.Latest.From.AddrPort().Addr().String()),
				counted("", "ICMP messages", u.Packets), j.packet("the first of them", u.First, i))
			return
		}
	}
}
