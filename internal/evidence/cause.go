package evidence

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// causeFinder is a connection beside the records of both hosts.
type causeFinder struct {
	*Records
	hosts    [2]*host           // by side; nil for none
	conn     *report.Connection // nil for one of plain TCP
	port     int                // of b, of a connection of plain TCP
	of       *joinedConn
	start    int64
	vantage  report.Vantage
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
	s := &causeFinder{Records: x, hosts: [2]*host{x.hostOf(0), x.hostOf(1)}, conn: c, of: of, start: int64(c.Start), vantage: c.Vantage, verdicts: &list}
	if s.hosts == [2]*host{} {
		return
	}
	s.accounts()
	if c.Verdicts != nil {
		s.judge()
		s.limits()
		s.unused()
		*c.Verdicts = list
	}
}

// causesTCP gives the verdicts on a connection of plain TCP their causes.
func (x *Records) causesTCP(c *report.TCP) {
	c.Verdicts = slices.Clone(c.Verdicts)
	s := &causeFinder{Records: x, hosts: [2]*host{x.hostOf(0), x.hostOf(1)}, port: c.B.Port, start: int64(c.Start), vantage: c.Vantage, verdicts: &c.Verdicts}
	s.judge()
}

// judge gives each verdict its cause, or removes what the records exclude.
func (s *causeFinder) judge() {
	for i := range *s.verdicts {
		v := &(*s.verdicts)[i]
		if f := s.ask(v).find(); f != nil {
			f.name(v)
			s.explained(v)
		} else {
			s.shorten(v)
		}
	}
}

// sideOf returns the number of a side, or of the one that sends the data of a direction.
func sideOf[T ~string](name T) int { return int(one(strings.HasPrefix(string(name), "b"))) }

// line returns a line of a record as a proof.
func (s *causeFinder) line(side int, row sample, field string, value float64, unit, text string) report.KernelLine {
	k := report.KernelLine{Host: report.Side(sideName(side)), File: row.at.File.Path, Line: int64(row.at.Line), Field: field, Value: &value, Unit: &unit, Text: text}
	if t, ok := s.hosts[side].time(row.stamp); ok {
		k.TS = new(float64(t-s.start) / 1e9)
	}
	return k
}

// ends returns the addresses of a subflow, that of a side first.
func (s *causeFinder) ends(sub, side int) (local, peer netip.Addr, ok bool) {
	if sub < 0 || s.conn == nil || sub >= len(s.conn.Subflows) {
		return local, peer, false
	}
	x := &s.conn.Subflows[sub]
	k, ok := keyOf(x.A, x.B)
	k = k.of(side)
	return k.local.Addr(), k.peer.Addr(), ok
}

// alone reports whether the connection is the only one that the counters of the hosts count.
func (s *causeFinder) alone() bool {
	all := map[*joinedConn]bool{}
	for _, list := range s.joined {
		for _, j := range list {
			all[j.of] = true
		}
	}
	return len(all) == 1
}

// ipv4 reports whether a subflow uses IPv4. What rules drop of IPv6 cannot be told from its
// counters, which count packets to groups that the host is not in.
func (s *causeFinder) ipv4(sub int) bool {
	local, _, ok := s.ends(sub, 0)
	return ok && local.Is4()
}

// drops returns the segments that a direction of a subflow lost.
func (s *causeFinder) drops(sub int, d report.Direction) int64 {
	if sub == noSubflow || d == "" {
		return 0
	}
	dir := report.Known(s.conn.Subflows[sub].Dir(d))
	return report.Known(dir.Drops).Count
}

// lethal are the verdicts that nothing passed on a path any more.
var lethal = []report.VerdictCode{report.VerdictPathDied, report.VerdictPathRemoved, report.VerdictStalled, report.VerdictAllStopped, report.VerdictJoinUnanswered}

// deadly reports whether the verdict says that nothing passes.
func (q *question) deadly() bool { return slices.Contains(lethal, q.code) }

// said reports whether a verdict with one of these codes is of what fits.
func (s *causeFinder) said(fits func(*report.Verdict) bool, codes ...report.VerdictCode) bool {
	return slices.ContainsFunc(*s.verdicts, func(v report.Verdict) bool { return slices.Contains(codes, v.Code) && fits(&v) })
}

// anyVerdict fits each verdict.
func anyVerdict(*report.Verdict) bool { return true }

// dead reports whether a verdict says that nothing passed on a subflow any more.
func (s *causeFinder) dead(sub int) bool {
	return s.said(func(v *report.Verdict) bool { return v.Subflow == nil || *v.Subflow == sub }, lethal...)
}

// ended reports whether nothing passed on the subflow any more. What is only slow has not ended.
func (q *question) ended() bool { return q.deadly() || q.sub != noSubflow && q.dead(q.sub) }

// onlyPath reports whether what a counter of a whole host says can concern this subflow alone: no other
// one has the same trouble, and no rule that dropped packets names another path.
func (q *question) onlyPath() bool {
	for i := range q.conn.Subflows {
		lost := q.drops(i, report.A2B)+q.drops(i, report.B2A) > 0
		if i != q.sub && (q.deadly() && q.dead(i) || !q.deadly() && lost) {
			return false
		}
	}
	_, named := q.rule()
	return named || len(q.hosts[q.side].DroppedBy()) == 0
}

// lossyCapture returns what tcpdump says of a capture that lost packets; nil for none.
func (h *host) lossyCapture() *hosts.Record {
	for _, r := range h.Records[hosts.Tcpdump] {
		if r.Values[hosts.Dropped].N > 0 {
			return r
		}
	}
	return nil
}

// lossy reports whether a capture lost packets: then a hole in it proves nothing.
func (s *causeFinder) lossy() bool {
	lost := func(h *host) bool { return h != nil && h.lossyCapture() != nil }
	return slices.ContainsFunc(s.hosts[:], lost) || s.said(anyVerdict, report.VerdictCaptureGap)
}

// listens reports whether the records have a listening socket of Multipath TCP on a port: ss lists
// those of plain TCP with what TCP says.
func (h *host) listens(port int) bool {
	return slices.ContainsFunc(h.Listeners, func(l hosts.Listener) bool { return l.Port == port && (l.MPTCP || !l.Sure) })
}

// listsAll finds a command that lists all sockets of Multipath TCP.
var listsAll = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ss\s+-\S*(M\S*a|a\S*M)`) })

// listensPlain reports whether the records prove that no socket of Multipath TCP listens on a
// port: a list of all such sockets has none.
func (h *host) listensPlain(port int) bool {
	lists := func(f *hosts.File) bool { return f.Kind == hosts.SS && f.Cut == 0 && listsAll().MatchString(f.Part) }
	return !h.listens(port) && slices.ContainsFunc(h.Files, lists)
}

// announced reports whether a side announced an address.
func (s *causeFinder) announced(side int) bool {
	return s.conn != nil && slices.ContainsFunc(s.conn.Events, func(e report.Event) bool {
		return e.Kind == report.EventAddAddr && e.Direction != nil && e.Direction.Sender() == side
	})
}

// errAborted is the error of a subflow that this host closed.
const errAborted = 103

// killing returns the event that a side closed the socket of the subflow from outside; nil for none.
func (q *question) killing() *hosts.Record {
	return q.event(func(e *hosts.Record, sub int) bool {
		return e.Name == "SF_CLOSED" && e.Values[hosts.Error].N == errAborted && q.sub != noSubflow && sub == q.conn.Subflows[q.sub].ID
	})
}

// event returns the first event of a side on a subflow of the connection that fits; nil for none.
func (q *question) event(fits func(e *hosts.Record, sub int) bool) *hosts.Record {
	list := q.hosts[q.side].Records[hosts.Monitor]
	for i := 0; q.conn != nil && i < len(list); i++ {
		if sub := subflowOf(list[i], q.conn, q.side); sub != nil && fits(list[i], *sub) {
			return list[i]
		}
	}
	return nil
}

// forbidden reports whether the peer takes no further subflow at its first address, as the packets or the path manager say.
func (q *question) forbidden() bool {
	denies := func(e *hosts.Record, _ int) bool { return e.Has(hosts.DenyJoin) }
	byPeer := func(v *report.Verdict) bool {
		return slices.ContainsFunc(v.Parameters, func(p report.Parameter) bool { return p.Name == "by" && p.Text == "ab"[1-q.side:2-q.side] })
	}
	return q.said(byPeer, report.VerdictJoinForbidden) || q.event(denies) != nil
}
