package diagnose

import (
	"fmt"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// leastStanding is for how long an address must have been announced to be judged, ns.
const leastStanding = 200e6

// addresses judges whether announced addresses were used, if all paths are in the capture:
// otherwise a subflow to such an address, or its echo, may be on another path.
func (j *judge) addresses() {
	if j.has(report.VerdictUncaptured) {
		return
	}
	for i := range j.m.Symptoms.Addresses {
		a := &j.m.Symptoms.Addresses[i]
		stood := j.m.Conn.Last() - a.At.Time
		if a.Removed.Seen() {
			stood = a.Removed.Time - a.At.Time
		}
		name := []fact{counted("id", "", int64(a.ID)), word("address", where(a)), word("by", side(a.From)), word("peer", side(a.From.Other())), j.packet("ADD_ADDR", a.At, -1)}
		joined, echoed := j.used(a), a.Echo.Seen() || j.m.Conn.Version == 0
		if stood < leastStanding || joined && echoed || !a.Removed.Seen() && j.early(-1, a.At.Time, "address", name...) {
			continue
		}
		if !echoed {
			j.add(report.VerdictAddAddrNotEchoed, warningIf(!joined), "", append(name, counted("times", "announcements", a.Times))...)
		}
		if !joined {
			form := ""
			if !j.at(a.From.Other()) { // its SYNs may not have come to the capture
				form = "elsewhere"
			}
			j.add(report.VerdictAddAddrNotJoined, report.Major, form, append(name, when(echoed, "echoed"), lasted("stood", "", stood), counted("announced", "", j.announced(a.From)), j.packet("its echo", a.Echo, -1))...)
		}
	}
}

// announced returns how many addresses a host announced.
func (j *judge) announced(by conn.Side) (n int) {
	for i := range j.m.Symptoms.Addresses {
		if j.m.Symptoms.Addresses[i].From == by {
			n++
		}
	}
	return n
}

func where(a *symptoms.Announcement) string {
	if a.Port == 0 {
		return a.Addr.String()
	}
	return fmt.Sprintf("%s port %d", a.Addr, a.Port)
}

// used reports whether any subflow uses an announced address.
func (j *judge) used(a *symptoms.Announcement) bool {
	return slices.ContainsFunc(j.subflows(), func(s *metrics.Sub) bool {
		return s.Sub.Joined && s.Sub.AddressID[a.From] == int(a.ID) || holds(s, a) && (a.Port == 0 || s.Sub.Ends[a.From].Port == a.Port)
	})
}

// holds reports whether a subflow has an announced address, whatever its port.
func holds(s *metrics.Sub, a *symptoms.Announcement) bool {
	return netip.AddrFrom16(s.Sub.Ends[a.From].Addr).Unmap() == a.Addr.Unmap()
}

// offered returns which addresses were announced on a connection with one path. Only those that no
// subflow has at that host can make a further path.
func (j *judge) offered() []fact {
	var first *symptoms.Announcement
	further := 0
	for i := range j.m.Symptoms.Addresses {
		a := &j.m.Symptoms.Addresses[i]
		if !slices.ContainsFunc(j.m.Subs, func(s *metrics.Sub) bool { return holds(s, a) }) {
			if further++; further == 1 {
				first = a
			}
		} else if first == nil {
			first = a
		}
	}
	if first == nil {
		return nil
	}
	known := []fact{word("announcer", side(first.From)), word("peer", side(first.From.Other()))}
	if further == 0 {
		return append(known, word("announced", first.Addr.String()))
	}
	return append(known, word("announced", where(first)), counted("further", "", further), word("advice", "further"))
}

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
	proofs []fact
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
		for k, s := range j.subflows() { // it concerns the subflow that carries it or, in version 0, those of an address id of its sender
			if e.AddressID == nil && *e.Subflow == s.Sub.ID || e.AddressID != nil && *e.AddressID == s.Sub.AddressID[from] {
				out[k].set(from, *e.Backup, "MP_PRIO of "+side(from), j.start+int64(e.TS*1e9))
				out[k].proofs = append(out[k].proofs, proof("MP_PRIO: "+e.Detail, e))
			}
		}
	}
	return out
}

// backups judges the paths that are backups, or were backups for much of their time.
func (j *judge) backups() {
	j.priority = j.priorities()
	lines, all := j.priority, !j.has(report.VerdictUncaptured) // of paths that the capture lacks nothing is known
	for i := range lines {
		all = all && (lines[i].isBackup() || j.m.Subs[i].Sub.Refused())
	}
	last := j.m.Conn.Last()
	for i := range lines {
		l, start := &lines[i], j.m.Subs[i].Sub.Start
		since := lasted("since", "", l.since-j.start)
		var v *report.Verdict
		switch {
		case l.isBackup():
			v = j.add(report.VerdictBackup, report.Minor, "", only(l.since > start, since), when(all, "all"), word("ask", l.asks[conn.A]), word("ask", l.asks[conn.B]))
		case l.backup > 0 && percent(l.backup, last-start) >= backupMuch:
			v = j.add(report.VerdictBackup, report.Minor, "regular", since, word("by", l.end), lasted("lasted", "", l.backup))
		default:
			continue
		}
		for _, d := range report.Directions {
			if dir := j.c.Subflows[i].Dir(d); dir.Volume() > 0 && dir.Share != nil {
				f := value("carried", *dir.Share, "percent")
				f.text = string(d)
				enter(v, f)
			}
		}
		enter(v, l.proofs...)
		v.Subflow = subflowID(i)
	}
}
