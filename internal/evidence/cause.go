package evidence

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// causeFinder is a connection beside the records of both hosts.
type causeFinder struct {
	*Records
	hosts    [2]*host           // by side; nil for none
	conn     *report.Connection // of plain TCP, one without subflows and directions
	plain    bool               // it is of plain TCP
	port     int                // of b, of a connection of plain TCP
	of       *joinedConn        // nil for none
	verdicts *report.List[report.Verdict]
}

// hostOf returns the records of the host that is a side; nil for none. Records whose sockets are
// all of other connections are of another session, and prove nothing.
func (x *Records) hostOf(side int) *host {
	for _, h := range x.hosts {
		if !h.foreign && string(h.side()) == sideName(side) {
			return h
		}
	}
	return nil
}

// causes gives the verdicts on a connection the causes that records prove.
func (x *Records) causes(c *report.Connection, of *joinedConn) {
	list := slices.Clone(report.Known(c.Verdicts))
	s := &causeFinder{Records: x, hosts: [2]*host{x.hostOf(0), x.hostOf(1)}, conn: c, of: of, verdicts: &list}
	if s.hosts == [2]*host{} || c.Verdicts == nil {
		return
	}
	s.judge()
	s.limits()
	s.unused()
	*c.Verdicts = list
}

// causesTCP gives the verdicts on a connection of plain TCP their causes.
func (x *Records) causesTCP(c *report.TCP) {
	c.Verdicts = slices.Clone(c.Verdicts)
	of := &report.Connection{Start: c.Start, Vantage: c.Vantage}
	s := &causeFinder{Records: x, hosts: [2]*host{x.hostOf(0), x.hostOf(1)}, conn: of, plain: true, port: c.B.Port, verdicts: &c.Verdicts}
	s.judge()
}

// judge gives each verdict its cause, or removes what the records exclude.
func (s *causeFinder) judge() {
	for i := range *s.verdicts {
		v := &(*s.verdicts)[i]
		if f := s.ask(v).find(); f != nil {
			s.name(f, v)
		} else {
			s.shorten(v)
		}
	}
}

// limits adds a verdict where records prove what limits a direction and no verdict says it: a side that
// sends, or an application that reads too slowly where packets show that the window was full at times.
func (s *causeFinder) limits() {
	for _, d := range report.Directions {
		of := func(v *report.Verdict) bool { return v.Direction == nil || *v.Direction == d }
		if s.said(of, report.VerdictApplication, report.VerdictSenderLimited, report.VerdictWindowClosed) {
			continue
		}
		x := cmp.Or(s.conn.Dir(d), &report.ConnDir{}).TimeAccount
		for _, code := range limited {
			v := report.Verdict{Code: code, Severity: report.Minor, Certainty: report.Likely, Direction: &d, Form: "records"}
			f := s.ask(&v).find()
			if f != nil && f.Alone && (code == report.VerdictSenderLimited || x != nil && x.Rwnd.MS > 0) {
				s.name(f, &v)
				s.add(v)
				break
			}
		}
	}
}

// limited are the verdicts that a side that sends limits a direction, or one that receives.
var limited = []report.VerdictCode{report.VerdictSenderLimited, report.VerdictWindowClosed}

// leastTime is how long a connection must last for an endpoint to be missed, s.
const leastTime = 1

// unused adds a verdict for each endpoint from which the host that opened the connection should
// have opened a subflow, and did not. The rows of the host show subflows that the capture lacks. The connection must
// last long enough, and nothing may say that the packets lack subflows.
func (s *causeFinder) unused() {
	const side = 0
	h := s.hosts[side]
	lacking := s.said(nil, report.VerdictTooShort, report.VerdictLateStart, report.VerdictUncaptured, report.VerdictOneDirection, report.VerdictJoinForbidden)
	if h == nil || s.of == nil || s.of.mptcp[side] == nil || s.of.mptcp[side].info == 0 || s.of.mptcp[side].fallback || len(h.tcp) == 0 || lacking || s.conn.DurationS < leastTime {
		return
	}
	first, _, ok := s.ends(0, side)
	lists := h.State(hosts.Endpoints, "")
	if lists.First() == nil || !ok {
		return
	}
	for _, e := range lists.First().List {
		if !e.Has("subflow") || e.Addr().Is4() != first.Is4() || lists.After != nil && lists.After.Find(e.Name) == nil || s.used(e.Addr(), side) {
			continue
		}
		line := s.line(side, sample{hosts.NoStamp, e.Ref}, "endpoint", 1, "count", "the endpoint")
		v := report.Verdict{
			Code: report.VerdictEndpointUnused, Severity: report.Major, Certainty: report.Certain,
			Parameters: []report.Parameter{word("by", sideName(side)), word("address", e.Name)}, Kernel: []report.KernelLine{line},
		}
		v.Alternatives = diagnose.Remaining(&v)
		q := s.ask(&v)
		q.endpoint = e
		if f := q.find(); f != nil {
			f.lines = append(f.lines, line)
			s.name(f, &v)
		} else {
			s.shorten(&v)
		}
		s.add(v)
	}
}

// used reports whether a side has a subflow, or had a socket of one, from an address.
func (s *causeFinder) used(a netip.Addr, side int) bool {
	h := s.hosts[side]
	known := h.First(hosts.Monitor, func(e *hosts.Record) bool { return e.Local.Addr() == a }) != nil
	for i := range s.conn.Subflows {
		local, _, ok := s.ends(i, side)
		known = known || ok && local == a
	}
	for p := range h.tcp {
		known = known || p.local.Addr() == a
	}
	return known
}

// add adds a verdict behind those that are as severe.
func (s *causeFinder) add(v report.Verdict) {
	at := len(*s.verdicts)
	for at > 0 && (*s.verdicts)[at-1].Severity.Rank() > v.Severity.Rank() {
		at--
	}
	*s.verdicts = slices.Insert(*s.verdicts, at, v)
}

// name makes a finding the cause of a verdict. Here alone a verdict gets what records say of its
// cause: the sentence is made of the row and its values.
func (s *causeFinder) name(f *finding, v *report.Verdict) {
	v.Cause = &report.Cause{Code: f.Code}
	if !f.Nobody {
		v.Cause.Host = new(report.Side(sideName(f.host)))
	}
	v.Alternatives, v.Kernel = nil, f.lines
	all := append(slices.Clip(v.Parameters), word("because", f.because))
	if f.device != "" {
		all = append(all, word("device", f.device))
	}
	if len(f.lines) > 0 {
		line := report.Parameter{Name: "because_line", Value: new(float64(f.lines[0].Line)), Unit: "count"}
		all = append(all, word("because_file", f.lines[0].File), line)
	}
	v.Parameters = all
}

// word returns a word for the sentence of a verdict.
func word(name, text string) report.Parameter { return report.Parameter{Name: name, Text: text} }

// shorten removes from what remains possible for a verdict what the records exclude.
func (s *causeFinder) shorten(v *report.Verdict) {
	q := s.ask(v)
	v.Alternatives = slices.DeleteFunc(slices.Clone(v.Alternatives), func(c report.Cause) bool {
		if c.Host == nil {
			return false
		}
		q.side = sideOf(*c.Host)
		return s.hosts[q.side] != nil && slices.ContainsFunc(tables().Excluded, func(x cause) bool {
			return x.Code == c.Code && (x.Role == "" || slices.Contains(q.sides(x.Role), q.side)) && q.all(x.When)
		})
	})
}

// sideOf returns the number of a side, or of the one that sends the data of a direction.
func sideOf[T ~string](name T) int { return int(one(strings.HasPrefix(string(name), "b"))) }

// line returns a line of a record as a proof.
func (s *causeFinder) line(side int, row sample, field string, value float64, unit, text string) report.KernelLine {
	k := report.KernelLine{Host: report.Side(sideName(side)), File: row.at.File.Path, Line: int64(row.at.Line), Field: field, Value: &value, Unit: &unit, Text: text}
	if t, ok := s.hosts[side].time(row.stamp); ok {
		k.TS = new(float64(t-int64(s.conn.Start)) / 1e9)
	}
	return k
}

// ends returns the addresses of a subflow, that of a side first.
func (s *causeFinder) ends(sub, side int) (local, peer netip.Addr, ok bool) {
	if sub < 0 || sub >= len(s.conn.Subflows) {
		return local, peer, false
	}
	k, ok := keyOf(s.conn.Subflows[sub].A, s.conn.Subflows[sub].B)
	k = k.of(side)
	return k.local.Addr(), k.peer.Addr(), ok
}

// drops returns the segments that a direction of a subflow lost.
func (s *causeFinder) drops(sub int, d report.Direction) int64 {
	if sub == noSubflow || d == "" {
		return 0
	}
	dir := report.Known(s.conn.Subflows[sub].Dir(d))
	return report.Known(dir.Drops).Count
}

// said reports whether a verdict with one of these codes is of what fits; nil for all.
func (s *causeFinder) said(fits func(*report.Verdict) bool, codes ...report.VerdictCode) bool {
	return slices.ContainsFunc(*s.verdicts, func(v report.Verdict) bool { return slices.Contains(codes, v.Code) && (fits == nil || fits(&v)) })
}

// lethal are the verdicts that nothing passed on a path any more.
var lethal = []report.VerdictCode{report.VerdictPathDied, report.VerdictPathRemoved, report.VerdictStalled, report.VerdictAllStopped, report.VerdictJoinUnanswered}

// dead reports whether a verdict says that nothing passed on a subflow any more.
func (s *causeFinder) dead(sub int) bool {
	return s.said(func(v *report.Verdict) bool { return v.Subflow == nil || *v.Subflow == sub }, lethal...)
}

// announced reports whether a side announced an address.
func (s *causeFinder) announced(side int) bool {
	return slices.ContainsFunc(s.conn.Events, func(e report.Event) bool {
		return e.Kind == report.EventAddAddr && e.Direction != nil && e.Direction.Sender() == side
	})
}
