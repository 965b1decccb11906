package diagnose

import (
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// explained are the states of the account of the time that a verdict explains.
var explained = map[report.VerdictCode][]string{
	report.VerdictHeavyLoss: {"recovery"}, report.VerdictPathDied: {"down"}, report.VerdictPathRemoved: {"down"}, report.VerdictStalled: {"down"}, report.VerdictAllStopped: {"down"},
	report.VerdictWindowClosed: {"rwnd"}, report.VerdictShrunk: {"rwnd"}, report.VerdictSenderLimited: {"window"}, report.VerdictSlowStart: {"slow_start"},
	report.VerdictApplication: {"application", "idle"}, report.VerdictPathIdle: {"scheduler"}, report.VerdictPathUnused: {"scheduler"},
	report.VerdictLossLimited: {"congestion_window", "recovery", "slow_start"},
}

// explainedText lists them for the command explain.
func explainedText() (text string) {
	for _, code := range slices.Sorted(maps.Keys(explained)) {
		text += "\n- " + string(code) + ": " + strings.Join(explained[code], " and ")
	}
	return text
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

// disjoint lets the costs of the verdicts of one direction share its time, in their order: each has at
// most what is left of the time of the states that it explains, and of what is undetermined, and all together
// no more than that time.
func (j *judge) disjoint(all []report.Verdict) {
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		var left map[string]float64 // ms by state
		for i := range all {
			v := &all[i]
			if v.CostS == nil || v.Direction == nil || *v.Direction != directionOf(from) {
				continue
			}
			if left == nil {
				left = j.unspent(from)
			}
			if cost := take(left, v.Code, *v.CostS*1e3) / 1e3; cost*1e9 >= noticeable {
				v.CostS = &cost
			} else {
				v.CostS, v.CostUnknown = nil, "its time is that of other verdicts, or lies outside of the data"
			}
		}
	}
}

// unspent returns the time of a direction by its account, ms by state. All of it is undetermined where there is none.
func (j *judge) unspent(from conn.Side) map[string]float64 {
	x := j.dir(from).TimeAccount
	if x == nil {
		return map[string]float64{"undetermined": float64(j.m.Symptoms.Dir(from).Data.Duration()) / 1e6}
	}
	left := map[string]float64{}
	for _, s := range x.States() {
		left[s.Name] = s.MS
	}
	return left
}

// take takes time for a verdict from what is left of the states, ms, and returns how much there was.
func take(left map[string]float64, code report.VerdictCode, ms float64) (taken float64) {
	names := append(slices.Clone(explained[code]), "undetermined")
	if explained[code] == nil || ofPath[code] {
		names = append(names, notQuiet...)
	}
	for _, name := range names {
		n := min(left[name], ms-taken)
		left[name] -= n
		taken += n
	}
	return taken
}

// ofPath are the verdicts on paths that could have carried more: any state of notQuiet may be time of theirs.
var ofPath = map[report.VerdictCode]bool{report.VerdictPathIdle: true, report.VerdictPathUnused: true, report.VerdictPathDied: true}

// notQuiet are the states in which the application had data to send, or may have had.
var notQuiet = []string{"down", "recovery", "congestion_window", "slow_start", "path", "scheduler", "rwnd", "window"}
