package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// The warnings of captures that hold packets twice, with the severity of the verdict that follows:
// copies that are counted once change no figure.
var twiceWarnings = map[string]report.Severity{
	"copies_on_one_interface": report.Minor, "packets_repeated": report.Major, "captured_at_two_places": report.Major,
}

// amender is a report whose connections can be changed.
type amender interface {
	Amend(conn func(*report.Connection), tcp func(*report.TCP))
}

// warned changes the verdicts of a report by its warnings. Where the capture as a whole has one direction
// of its connections, a SYN without an answer proves nothing, and the verdicts that it got none, or may still
// get one, are dropped. Those on packets that the captures hold twice are added.
func warned(d amender, warnings []report.Warning) {
	also := twice(warnings)
	unproven := slices.ContainsFunc(warnings, func(w report.Warning) bool { return w.Code == conn.OneDirection })
	if !unproven && len(also) == 0 {
		return
	}
	amend := func(all report.List[report.Verdict], asked bool) report.List[report.Verdict] {
		if unproven {
			all = slices.DeleteFunc(slices.Clone(all), func(v report.Verdict) bool {
				return v.Code == report.VerdictUnanswered || v.Code == report.VerdictJoinUnanswered || v.Code == report.VerdictEndsEarly
			})
		}
		if len(also) == 0 || !asked {
			return all
		}
		return ranked(append(all, also...))
	}
	d.Amend(func(c *report.Connection) {
		if c.Verdicts != nil {
			*c.Verdicts = amend(*c.Verdicts, true)
		}
	}, func(t *report.TCP) { t.Verdicts = amend(t.Verdicts, t.MPTCP != nil) })
}

// twice returns the verdicts on packets that the captures of a report hold twice: one for each
// warning that says so. Connections share their lists, to which each may append.
func twice(warnings []report.Warning) []report.Verdict {
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
		v.Parameters, v.Evidence = slices.Clip(v.Parameters), slices.Clip(v.Evidence)
	}
	return j.out
}
