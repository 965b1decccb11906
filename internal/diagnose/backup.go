package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// backupMuch is the percentage of its time for which a path must have been a backup to be
// reported, if it is regular at the end.
const backupMuch = 10.0

// priorityLine holds what the hosts asked for about the priority of one subflow, in the
// order of time: flag B of their MP_JOINs, then MP_PRIO (RFC 8684, Sections 3.2 and 3.3.8).
// A subflow that either host wants as a backup counts as a backup: each host asks for the
// data that the other one sends.
type priorityLine struct {
	asks   [2]string // by side: the option by which it last asked for a backup; empty where it does not ask
	end    string    // the option that last made it regular
	since  int64     // ns: time of the last change
	backup int64     // ns for which it was a backup up to since
	proofs []report.Proof
}

func (l *priorityLine) isBackup() bool { return l.asks[conn.A] != "" || l.asks[conn.B] != "" }

// set enters that a side asks for a backup, or no longer does, by an option.
func (l *priorityLine) set(side conn.Side, backup bool, what string, at int64) {
	was := l.isBackup()
	l.asks[side] = ""
	if backup {
		l.asks[side] = what
	}
	if now := l.isBackup(); now != was {
		if was {
			l.backup += at - l.since
			l.end = what
		}
		l.since = at
	}
}

// priorities returns what the hosts asked for about each subflow, by its index.
func (j *judge) priorities() []priorityLine {
	out := make([]priorityLine, len(j.subflows()))
	for i, s := range j.subflows() {
		l := &out[i]
		l.since = s.Sub.Start
		for _, from := range [2]conn.Side{s.Sub.Initiator, s.Sub.Initiator.Other()} {
			if s.Sub.BackupBy[from] == conn.Yes {
				l.set(from, true, "flag B of "+side(from)+" in the handshake", s.Sub.Start)
			}
		}
		if l.isBackup() {
			l.proofs = append(l.proofs, j.packet("SYN of the subflow, whose handshake sets flag B", s.Handshake.SYN, i))
		}
	}
	for i := range j.c.Events {
		e := &j.c.Events[i]
		if e.Kind != report.EventPrio || e.Subflow == nil || e.Direction == nil || e.Backup == nil {
			continue
		}
		from := senderOf(e.Direction)
		for k, s := range j.subflows() {
			if concernsSubflow(e, s.Sub.ID, s.Sub.AddressID[from]) {
				out[k].set(from, *e.Backup, "MP_PRIO of "+side(from), j.start+int64(e.TS*1e9))
				out[k].proofs = append(out[k].proofs, proof("MP_PRIO: "+e.Detail, e))
			}
		}
	}
	return out
}

// concernsSubflow reports whether an MP_PRIO is about a subflow for which its sender has
// this address id: it concerns the subflow that carries it or, in version 0, the subflows
// of an address id.
func concernsSubflow(e *report.Event, sub, addressID int) bool {
	if e.AddressID != nil {
		return addressID == *e.AddressID
	}
	return *e.Subflow == sub
}

// backups judges the paths that are backups, or were backups for much of their time.
func (j *judge) backups() {
	j.priority = j.priorities()
	lines, regular := j.priority, 0
	for i := range lines {
		if !lines[i].isBackup() && !j.m.Subs[i].Sub.Refused() {
			regular++
		}
	}
	last := j.m.Conn.Last()
	for i := range lines {
		l, s := &lines[i], &j.c.Subflows[i]
		text := ""
		switch {
		case l.isBackup():
			rule := "data goes there only while no regular path works"
			if regular == 0 {
				rule = "every path of the connection is one, so data uses backups anyway"
			}
			text = fmt.Sprintf("%s is a backup%s, by %s: %s; it carried %s", pathText(i, s), j.sinceWhen(l.since, i), l.reasons(), rule, shares(s))
		case l.backup > 0 && percent(l.backup, last-j.m.Subs[i].Sub.Start) >= backupMuch:
			text = fmt.Sprintf("%s is regular from %s on (%s), and was a backup for %s before; it carried %s",
				pathText(i, s), durationText(l.since-j.start), l.end, durationText(l.backup), shares(s))
		default:
			continue
		}
		v := j.add(report.VerdictBackup, report.Minor, text, l.proofs...)
		v.Subflow = subflowID(i)
		if !l.isBackup() {
			v.Remedy = "Nothing: the path is no backup any more."
		}
	}
}

// sinceWhen says since when a subflow is a backup; "" if it was one from its start.
func (j *judge) sinceWhen(since int64, sub int) string {
	if since <= j.m.Subs[sub].Sub.Start {
		return ""
	}
	return " from " + durationText(since-j.start) + " on"
}

// reasons says who asks for the backup, and how.
func (l *priorityLine) reasons() string {
	var out []string
	for _, what := range l.asks {
		if what != "" {
			out = append(out, what)
		}
	}
	return strings.Join(out, " and ")
}
