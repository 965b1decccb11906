package evidence

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

// An explanation is what the rows of a cause say of states of the account that packets cannot tell apart. It
// has the names of facts: how many rows say so, how many could say so, and the time between the first and
// the last of these, ns.
type explanation struct {
	States   []string // from packets at the sender; elsewhere what limits a sender is undetermined
	Rows, Of string
	Time     string
}

// accounts adds to the accounts of the time what records say about states that packets cannot
// tell apart. The times stay as they are.
func (s *causeFinder) accounts() {
	for _, d := range report.Directions {
		x := s.account(d)
		if x == nil {
			continue
		}
		x.Kernel = nil
		for _, code := range []report.VerdictCode{report.VerdictSenderLimited, report.VerdictWindowClosed} {
			q := s.ask(&report.Verdict{Code: code, Direction: &d})
			if k := q.explain(q.find(), x); k != nil {
				x.Kernel = append(x.Kernel, *k)
			}
		}
	}
}

// account returns the account of the time of a direction; nil for none.
func (s *causeFinder) account(d report.Direction) *report.TimeAccount {
	return cmp.Or(s.conn.Dir(d), &report.ConnDir{}).TimeAccount
}

// explain returns what a cause explains of an account: most of the time of its states; nil for nothing. The
// rows that say otherwise may all lie in these states: their time, and that without rows, must be at most
// half of the time of the states. It keeps the states that occur.
func (q *question) explain(f *finding, x *report.TimeAccount) *report.KernelCause {
	if f == nil {
		return nil
	}
	rows, of, span := q.value(f.Account.Rows), q.value(f.Account.Of), q.value(f.Account.Time)
	if math.IsNaN(rows+of+span) || x.DurationMS == 0 {
		return nil
	}
	states := f.Account.States
	if f.Role == "sender" && x.SeenAt != report.SeenAtSender {
		states = []string{"undetermined"}
	}
	k := &report.KernelCause{Host: report.Side(sideName(f.host)), Cause: f.Code, Rows: int64(rows), Of: int64(of), Lines: f.lines}
	percent := 0.0
	for _, s := range x.States() {
		if slices.Contains(states, s.Name) && s.MS > 0 {
			percent, k.States = percent+s.Percent, append(k.States, s.Name)
		}
	}
	said := 100 * min(1, span/1e6/x.DurationMS) * rows / of
	if percent == 0 || percent < 2*(100-said) {
		return nil
	}
	return k
}

// explained enters the states of the account that the cause of a verdict explains.
func (s *causeFinder) explained(v *report.Verdict) {
	if s.conn == nil || v.Direction == nil || v.Cause == nil || v.Cause.Host == nil {
		return
	}
	x := s.account(*v.Direction)
	if x == nil {
		return
	}
	for _, state := range x.States() {
		if k := x.CauseOf(state.Name); k != nil && k.Cause == v.Cause.Code && k.Host == *v.Cause.Host {
			f := amount("explains", state.Percent, "percent")
			f.Text = state.Name
			v.Parameters = append(v.Parameters, f)
		}
	}
}
