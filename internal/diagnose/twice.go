package diagnose

import "mpanalyze/internal/report"

// The warnings of captures that hold packets twice, with the severity of the verdict that follows:
// copies that are counted once change no figure.
var twiceWarnings = map[string]report.Severity{
	"copies_on_one_interface": report.Minor, "packets_repeated": report.Major, "captured_at_two_places": report.Major,
}

// twice adds the verdicts on packets that the captures of a report hold twice: one for each
// warning that says so.
func twice(d amender, warnings []report.Warning) {
	j := judge{}
	for i := range warnings {
		w := &warnings[i]
		severity, ok := twiceWarnings[w.Code]
		if !ok {
			continue
		}
		v := j.add(report.VerdictTwice, severity, w.Code, word("message", w.Message), counted("", "such packets in the capture", w.Count))
		if w.Code == "packets_repeated" {
			v.Certainty = report.Likely
		}
		if w.File != nil {
			enter(v, word("file", *w.File))
		}
		if w.Packet != nil {
			enter(v, fact{Proof: report.Proof{What: "first of them", Packet: new(*w.Packet)}})
		}
	}
	if len(j.out) == 0 {
		return
	}
	with := func(all report.List[report.Verdict]) report.List[report.Verdict] {
		for i := range j.out {
			all = append(all, ownCopy(&j.out[i]))
		}
		return ranked(all)
	}
	d.Amend(func(c *report.Connection) {
		if c.Verdicts != nil {
			*c.Verdicts = with(*c.Verdicts)
		}
	}, func(t *report.TCP) {
		if t.MPTCP != nil { // it asked for Multipath TCP
			t.Verdicts = with(t.Verdicts)
		}
	})
}
