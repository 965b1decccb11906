package diagnose

import (
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// accounted enters for each verdict which part of the time of its direction went to the states
// that it explains. A verdict on a subflow has the time of that subflow, as a part of the time of
// the direction.
func (j *judge) accounted() {
	for i := range j.out {
		v := &j.out[i]
		if v.Direction == nil || v.Severity == report.Fine {
			continue
		}
		whole, names := senderAccount(j.dir(from(v))), kindOf(v).Named() // elsewhere states are told in part
		of := whole
		if v.Subflow != nil {
			of = j.subDir(*v.Subflow, from(v)).TimeAccount
		}
		if len(names) == 0 || of == nil || whole == nil || whole.DurationMS <= 0 {
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
		enter(v, number("", "time of its direction in states of time_account: "+strings.Join(names, " and "), share, "percent"))
	}
}

// Named returns the states that the verdict names one by one.
func (k *Kind) Named() []string {
	return slices.DeleteFunc(slices.Clone(k.States), func(s string) bool { return s == AnyState })
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
			if cost := take(left, kindOf(v), *v.CostS*1e3) / 1e3; cost*1e9 >= noticeable {
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
func take(left map[string]float64, k *Kind, ms float64) (taken float64) {
	names := append(k.Named(), "undetermined")
	if len(k.States) == 0 || slices.Contains(k.States, AnyState) {
		names = append(names, notQuiet...)
	}
	for _, name := range names {
		n := min(left[name], ms-taken)
		left[name] -= n
		taken += n
	}
	return taken
}

// notQuiet are the states in which the application had data to send, or may have had.
var notQuiet = []string{"down", "recovery", "congestion_window", "slow_start", "path", "scheduler", "rwnd", "window"}

// senderAccount returns the account of a capture at the sender; nil if there is none. Elsewhere
// most of the time is undetermined, so that a small share says nothing.
func senderAccount(d *report.ConnDir) *report.TimeAccount {
	if x := d.TimeAccount; x != nil && x.SeenAt == report.SeenAtSender {
		return x
	}
	return nil
}

// atSender returns how the sender spent its time: by the account of a capture there, or as one at the receiver lets
// infer; nil if neither tells it.
func (j *judge) atSender(from conn.Side) *report.TimeAccount {
	d := j.dir(from)
	if x := senderAccount(d); x != nil || d.TimeAccount == nil {
		return x
	}
	if x, ok := j.m.Dir(from).Inferred(-1); ok {
		return &x
	}
	return nil
}

// pausesTell reports whether the pauses of a sender tell who holds back. At the receiver they do where nothing else
// delays data: a congestion window that neither losses nor a queue end grows until the path is full, unless a buffer
// or a clamp holds it.
func pausesTell(x *report.TimeAccount) bool {
	return x.SeenAt == report.SeenAtSender || max(x.Recovery.Percent, x.Path.Percent) < cleanMost
}
