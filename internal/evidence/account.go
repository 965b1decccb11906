package evidence

import (
	"fmt"
	"strings"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// word is what rows of a host say about a direction.
type word struct {
	*finding
	rows     int64 // that say so
	of       int64 // that could say so
	from, to int64 // stamps of the first and the last of them
	states   []string
}

// accounts adds to the accounts of the time what records say about states that packets cannot
// tell apart. The times stay as they are.
func (s *causeFinder) accounts() {
	for _, d := range [2]report.Direction{report.A2B, report.B2A} {
		x := s.account(d)
		if x == nil {
			continue
		}
		x.Kernel = nil
		for _, w := range [2]*word{s.senderWord(sideOf(d), x), s.receiverWord(1-sideOf(d), d)} {
			if w != nil && w.stands(x) {
				x.Kernel = append(x.Kernel, report.KernelWord{
					Host: report.Side(sideName(w.host)), Cause: w.code, States: w.states, Rows: w.rows, Of: w.of, Lines: w.lines,
				})
			}
		}
	}
}

// account returns the account of the time of a direction; nil for none.
func (s *causeFinder) account(d report.Direction) *report.TimeAccount {
	dir := s.conn.A2B
	if d == report.B2A {
		dir = s.conn.B2A
	}
	if dir == nil {
		return nil
	}
	return dir.TimeAccount
}

// senderWord returns what the host that sends says of the states that are not clear from the
// packets: at the sender whether the application, the send buffer or the congestion window limits,
// elsewhere what limits at all.
func (s *causeFinder) senderWord(side int, x *report.TimeAccount) *word {
	f := s.sender(side)
	if f == nil {
		return nil
	}
	t, _ := s.total(side)
	w := &word{finding: f, of: t.rows + t.quiet, from: t.firstTime, to: t.lastTime, states: []string{"window"}}
	switch f.code {
	case report.CauseApplication:
		w.rows, w.states = t.room+t.quietRoom, []string{"application", "window"}
	case report.CauseSendBuffer:
		w.rows, w.states = t.room, []string{"application", "window"}
	case report.CausePacing:
		w.rows = t.written
	default:
		w.rows = t.atWindow
	}
	if x.SeenAt != report.SeenAtSender {
		w.states = []string{"undetermined"}
	}
	return w
}

// receiverWord returns what the host that receives says of a window without room.
func (s *causeFinder) receiverWord(side int, d report.Direction) *word {
	f := s.receiver(side, d)
	if f == nil {
		return nil
	}
	b := &s.of.mptcp[side].buffers
	w := &word{finding: f, rows: b.full, of: b.receive.N(), from: b.readTime, to: b.readLast, states: []string{"rwnd"}}
	if f.code == report.CauseReceiveBuffer {
		w.rows = b.few
	}
	return w
}

// stands reports whether a word holds for most of the time of its states, whatever states the rows
// were in that say otherwise: the time of these rows, and that without rows, is at most half of it.
// It keeps the states that occur.
func (w *word) stands(x *report.TimeAccount) bool {
	if w.of == 0 || w.from == hosts.NoStamp || w.to == hosts.NoStamp || x.DurationMS == 0 {
		return false
	}
	percent := 0.0
	var found []string
	for _, s := range x.States() {
		for _, name := range w.states {
			if s.Name == name && s.MS > 0 {
				percent, found = percent+s.Percent, append(found, name)
			}
		}
	}
	covered := min(1, float64(w.to-w.from)/1e6/x.DurationMS)
	said := 100 * covered * float64(w.rows) / float64(w.of)
	w.states = found
	return percent > 0 && percent >= 2*(100-said)
}

// stands returns the sentence that says for which states of the account a cause stands; empty for
// none.
func (s *causeFinder) stands(v *report.Verdict) string {
	if v.Direction == nil || v.Cause == nil || v.Cause.Host == nil {
		return ""
	}
	x := s.account(*v.Direction)
	if x == nil {
		return ""
	}
	var list []string
	for _, state := range x.States() {
		if k := x.WordOn(state.Name); k != nil && k.Cause == v.Cause.Code && k.Host == *v.Cause.Host {
			list = append(list, fmt.Sprintf("%s (%.0f %%)", state.Name, state.Percent))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ". It explains the time that time_account calls " + strings.Join(list, " and ")
}
