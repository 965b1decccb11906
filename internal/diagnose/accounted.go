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

// spent is the time of a direction of which no verdict has said yet that its cause costs it.
type spent struct {
	states map[string]float64 // ms; "undetermined" is the whole time where there is no account
	sender bool
}

// disjoint lets the costs of the verdicts of one direction share its time, in their order: each has at
// most what is left of the time of the states that it explains, and all together no more than that time.
// Where the account does not tell the states apart a verdict has a part of what is undetermined.
func (j *judge) disjoint(all []report.Verdict) {
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		var left spent
		for i := range all {
			v := &all[i]
			if v.CostS == nil || v.Direction == nil || *v.Direction != directionOf(from) {
				continue
			}
			if left.states == nil {
				left = j.unspent(from)
			}
			if cost := left.take(v.Code, *v.CostS*1e3) / 1e3; cost*1e9 >= noticeable {
				v.CostS = &cost
			} else {
				v.CostS, v.CostUnknown = nil, "its time is that of other verdicts, or lies outside of the data"
			}
		}
	}
}

// unspent returns the time of a direction by its account, or by its data.
func (j *judge) unspent(from conn.Side) spent {
	x, left := j.dir(from).TimeAccount, spent{states: map[string]float64{}}
	if x == nil {
		left.states["undetermined"] = float64(j.m.Symptoms.Dir(from).Data.Duration()) / 1e6
		return left
	}
	left.sender = x.SeenAt == report.SeenAtSender
	for _, s := range x.States() {
		left.states[s.Name] = s.MS
	}
	return left
}

// take takes time for a verdict, ms, and returns how much was left.
func (s *spent) take(code report.VerdictCode, ms float64) (taken float64) {
	names := explained[code]
	switch {
	case names == nil || paths[code]:
		names = slices.Sorted(maps.Keys(s.states))
	case !s.sender:
		names = append(slices.Clone(names), "undetermined")
	}
	for _, name := range names {
		n := min(s.states[name], ms-taken)
		s.states[name] -= n
		taken += n
	}
	return taken
}

// paths are the verdicts on paths that could have carried more: any state of the connection may be time of theirs.
var paths = map[report.VerdictCode]bool{report.VerdictPathIdle: true, report.VerdictPathUnused: true, report.VerdictPathDied: true}
