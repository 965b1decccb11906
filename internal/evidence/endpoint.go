package evidence

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// wanted reports whether a host opens a subflow from an endpoint.
func wanted(e *hosts.Record) bool { return e.Has("subflow") || e.Has("fullmesh") }

// unused adds a verdict for each endpoint from which the host that opened the connection should
// have opened a subflow, and did not. The rows of the host show subflows that the capture lacks.
func (s *causeFinder) unused() {
	const side = 0
	h := s.hosts[side]
	if h == nil || s.of == nil || s.of.mptcp[side] == nil || s.of.mptcp[side].info == 0 || s.of.mptcp[side].fallback || len(h.tcp) == 0 || !s.complete() {
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
		s.add(s.endpointUnused(e, side))
	}
}

// complete reports whether the connection lasted long enough to use its endpoints, and nothing
// says that the packets lack subflows.
func (s *causeFinder) complete() bool {
	lacking := s.said(anyVerdict, report.VerdictTooShort, report.VerdictLateStart, report.VerdictUncaptured, report.VerdictOneDirection, report.VerdictJoinForbidden)
	return !lacking && s.conn.DurationS >= leastTime
}

// leastTime is how long a connection must last for an endpoint to be missed, s.
const leastTime = 1

// used reports whether a side has a subflow, or had a socket of one, from an address.
func (s *causeFinder) used(a netip.Addr, side int) bool {
	for i := range s.conn.Subflows {
		if local, _, ok := s.ends(i, side); ok && local == a {
			return true
		}
	}
	for p := range s.hosts[side].tcp {
		if p.local.Addr() == a {
			return true
		}
	}
	return slices.ContainsFunc(s.hosts[side].Records[hosts.Monitor], func(e *hosts.Record) bool { return e.Local.Addr() == a })
}

// endpointUnused returns the verdict on an endpoint that a side did not use.
func (s *causeFinder) endpointUnused(e *hosts.Record, side int) report.Verdict {
	v := report.Verdict{
		Code: report.VerdictEndpointUnused, Severity: report.Major, Certainty: report.Certain,
		Parameters: []report.Parameter{word("by", sideName(side)), word("address", e.Name)},
		Kernel:     []report.KernelLine{s.line(side, sample{hosts.NoStamp, e.Ref}, "endpoint", 1, "count", "the endpoint")},
	}
	v.Alternatives = diagnose.Remaining(&v)
	q := s.ask(&v)
	q.endpoint = e
	if f := q.find(); f != nil {
		f.lines = append(f.lines, v.Kernel...)
		f.name(&v)
		return v
	}
	s.shorten(&v)
	return v
}

// further returns how many further subflows the connection had.
func (s *causeFinder) further() (n int) {
	for i := range s.conn.Subflows {
		if st := s.conn.Subflows[i].State; i > 0 && st != report.SubflowRefused && st != report.SubflowUnanswered {
			n++
		}
	}
	return n
}
