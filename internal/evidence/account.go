package evidence

import (
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// limit is what limited a direction by the rows of a host.
type limit struct {
	*finding
	rows     int64 // that say so
	of       int64 // that could say so
	from, to int64 // stamps of the first and the last of them
	states   []string
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
		for _, l := range [2]*limit{s.senderLimit(d, x), s.receiverLimit(d)} {
			if l != nil && l.explains(x) {
				x.Kernel = append(x.Kernel, report.KernelCause{
					Host: report.Side(sideName(l.host)), Cause: l.Code, States: l.states, Rows: l.rows, Of: l.of, Lines: l.lines,
				})
			}
		}
	}
}

// account returns the account of the time of a direction; nil for none.
func (s *causeFinder) account(d report.Direction) *report.TimeAccount {
	if dir := s.conn.Dir(d); dir != nil {
		return dir.TimeAccount
	}
	return nil
}

// senderLimit returns what the host that sends says of the states that are not clear from the
// packets: at the sender whether the application, the send buffer or the congestion window limits,
// elsewhere what limits at all.
func (s *causeFinder) senderLimit(d report.Direction, x *report.TimeAccount) *limit {
	f := s.limiting(report.VerdictSenderLimited, d)
	if f == nil {
		return nil
	}
	t := s.total(f.host)
	l := &limit{finding: f, of: t.rows + t.quiet, from: t.first.stamp, to: t.lastTime, states: []string{"window"}}
	switch f.Code {
	case report.CauseApplication:
		l.rows, l.states = t.room+t.quietRoom, []string{"application", "window"}
	case report.CauseSendBuffer:
		l.rows, l.states = t.room, []string{"application", "window"}
	case report.CausePacing:
		l.rows = t.written
	default:
		l.rows = t.atWindow
	}
	if x.SeenAt != report.SeenAtSender {
		l.states = []string{"undetermined"}
	}
	return l
}

// receiverLimit returns what the host that receives says of a window without room.
func (s *causeFinder) receiverLimit(d report.Direction) *limit {
	f := s.limiting(report.VerdictWindowClosed, d)
	if f == nil {
		return nil
	}
	b := &s.of.mptcp[f.host].buffers
	l := &limit{finding: f, rows: b.full, of: b.receive.N(), from: b.readFirst.stamp, to: b.readLast, states: []string{"rwnd"}}
	if f.Code == report.CauseReceiveBuffer {
		l.rows = b.few
	}
	return l
}

// explains reports whether the limit explains most of the time of its states. The rows that say
// otherwise may all lie in these states: their time, and that without rows, must be at most half of
// the time of the states. It keeps the states that occur.
func (l *limit) explains(x *report.TimeAccount) bool {
	if l.of == 0 || l.from == hosts.NoStamp || l.to == hosts.NoStamp || x.DurationMS == 0 {
		return false
	}
	percent := 0.0
	var found []string
	for _, s := range x.States() {
		for _, name := range l.states {
			if s.Name == name && s.MS > 0 {
				percent, found = percent+s.Percent, append(found, name)
			}
		}
	}
	covered := min(1, float64(l.to-l.from)/1e6/x.DurationMS)
	said := 100 * covered * float64(l.rows) / float64(l.of)
	l.states = found
	return percent > 0 && percent >= 2*(100-said)
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
