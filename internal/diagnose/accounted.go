package diagnose

import (
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// explained are the states of the account of the time that a verdict explains.
var explained = map[report.VerdictCode][]string{
	report.VerdictHeavyLoss: {"recovery", "down"}, report.VerdictPathDied: {"down"}, report.VerdictPathRemoved: {"down"}, report.VerdictStalled: {"down"},
	report.VerdictWindowClosed: {"rwnd"}, report.VerdictShrunk: {"rwnd"}, report.VerdictSenderLimited: {"window"},
	report.VerdictApplication: {"application", "idle"}, report.VerdictPathIdle: {"scheduler"}, report.VerdictPathUnused: {"scheduler"},
}

// accounted enters for each verdict which part of the time of its direction went to the states
// that it explains. A verdict on a subflow has the time of that subflow, as a part of the time of
// the direction.
func (j *judge) accounted() {
	for i := range j.out {
		v := &j.out[i]
		if v.Direction == nil || v.Severity == report.Fine {
			continue
		}
		whole, names := senderAccount(j.dir(from(v))), explained[v.Code] // elsewhere states are told in part
		of := whole
		if v.Subflow != nil {
			of = j.subDir(*v.Subflow, from(v)).TimeAccount
		}
		if names == nil || of == nil || whole == nil || whole.DurationMS <= 0 {
			continue
		}
		ms := 0.0
		for _, s := range of.States() {
			if slices.Contains(names, s.Name) {
				ms += s.MS
			}
		}
		share := min(100*ms/whole.DurationMS, 100)
		v.TimePercent = &share
		v.Evidence = append(v.Evidence, number("time of its direction in states of time_account: "+strings.Join(names, " and "), share, "percent"))
	}
}
