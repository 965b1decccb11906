package evidence

import (
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

const (
	leastRows     = 8   // rows of a socket from which on they prove something
	queueDelay    = 5.0 // ms that a queue of the host adds to the round trip
	queueDelayPer = 0.1 // the same as a part of the round trip
)

// rowCounts returns those of the socket of Multipath TCP of the side, and adds up those of its TCP sockets.
func (q *question) rowCounts() rowCounts {
	x := q.totals[q.side]
	if x != nil {
		return x
	}
	x = rowCounts{}
	q.totals[q.side] = x
	for i := range q.conn.Subflows {
		a := q.ofSubflow(q.start, &q.conn.Subflows[i])[q.side]
		if a == nil || a.disproved&(1<<sentBytes|1<<ackedBytes) != 0 {
			continue
		}
		for name, t := range a.socket.rowCounts {
			x.merge(name, t)
		}
		if slices.ContainsFunc(a.socket.controls, func(name string) bool { return strings.HasPrefix(name, "bbr") }) {
			x.merge("bbr", &rowCount{n: 1})
		}
	}
	if m := q.mptcp(); m != nil {
		maps.Copy(x, m.rowCounts)
	}
	return x
}

// roundTripInQueue returns by how much the round trips that the kernel measures are longer than those of
// the packets, which are captured behind its queue, ms; it is not ok if that is within what they may be off.
func (q *question) roundTripInQueue() (fact, bool) {
	if q.sub == noSubflow {
		return fact{}, false
	}
	a := q.ofSubflow(q.start, &q.conn.Subflows[q.sub])[q.side]
	if a == nil || !a.here || a.disproved&(1<<roundTrip) != 0 || a.socket.rowCounts.of("sent").n < leastRows {
		return fact{}, false
	}
	d := a.agreement().SRTT.KernelMinusPackets
	if d == nil || *d <= max(queueDelay, queueDelayPer*a.socket.figure("srtt_ms").Quantiles(0.5)[0]) {
		return fact{}, false
	}
	return fact{value: *d, at: a.socket.rowCounts.of("sent").first, field: "rtt", unit: "ms"}, true
}

// limits adds a verdict where records prove what limits a direction and no verdict says it: a side that
// sends, or an application that reads too slowly where packets show that the window was full at times.
func (s *causeFinder) limits() {
	for _, d := range report.Directions {
		of := func(v *report.Verdict) bool { return v.Direction == nil || *v.Direction == d }
		if s.said(of, report.VerdictApplication, report.VerdictSenderLimited, report.VerdictWindowClosed) {
			continue
		}
		v := report.Verdict{Code: report.VerdictSenderLimited, Severity: report.Minor, Certainty: report.Likely, Direction: &d, Form: "records"}
		f := s.ask(&v).find()
		if x := s.account(d); f == nil && x != nil && x.Rwnd.MS > 0 {
			v.Code = report.VerdictWindowClosed
			f = s.ask(&v).find()
		}
		if f == nil || !f.Alone {
			continue
		}
		f.name(&v)
		s.explained(&v)
		s.add(v)
	}
}

// add adds a verdict behind those that are as severe.
func (s *causeFinder) add(v report.Verdict) {
	at := len(*s.verdicts)
	for at > 0 && (*s.verdicts)[at-1].Severity.Rank() > v.Severity.Rank() {
		at--
	}
	*s.verdicts = slices.Insert(*s.verdicts, at, v)
}
