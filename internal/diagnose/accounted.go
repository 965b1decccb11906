package diagnose

import (
	"mpanalyze/internal/report"
)

// states are states of the account of the time that a verdict explains.
type states struct {
	names string
	of    func(*report.TimeAccount) float64 // their time, ms
}

// statesOf returns the states that a verdict explains; none for a verdict that explains none.
func statesOf(code report.VerdictCode) states {
	switch code {
	case report.VerdictHeavyLoss:
		return states{"recovery and down", func(x *report.TimeAccount) float64 { return x.Recovery.MS + x.Down.MS }}
	case report.VerdictPathDied, report.VerdictPathRemoved, report.VerdictStalled:
		return states{"down", func(x *report.TimeAccount) float64 { return x.Down.MS }}
	case report.VerdictWindowClosed, report.VerdictShrunk:
		return states{"rwnd", func(x *report.TimeAccount) float64 { return x.Rwnd.MS }}
	case report.VerdictSenderLimited:
		return states{"window", func(x *report.TimeAccount) float64 { return x.Window.MS }}
	case report.VerdictApplication:
		return states{"application and idle", func(x *report.TimeAccount) float64 { return x.Application.MS + x.Idle.MS }}
	case report.VerdictPathIdle, report.VerdictPathUnused:
		return states{"scheduler", func(x *report.TimeAccount) float64 { return x.Scheduler.MS }}
	}
	return states{}
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
		whole, s := senderAccount(j.dir(from(v))), statesOf(v.Code) // elsewhere states are told in part
		of := whole
		if v.Subflow != nil {
			of = j.subDir(*v.Subflow, from(v)).TimeAccount
		}
		if s.of == nil || of == nil || whole == nil || whole.DurationMS <= 0 {
			continue
		}
		share := min(100*s.of(of)/whole.DurationMS, 100)
		v.TimePercent = &share
		v.Evidence = append(v.Evidence, number("time of its direction in states of time_account: "+s.names, share, "percent"))
	}
}
