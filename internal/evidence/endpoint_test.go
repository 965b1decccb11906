package evidence

import (
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// endpoints is the thing that a list of endpoints tells of.
var endpoints = hosts.Thing{Kind: hosts.Endpoints}

// joiner is a connection of 5 s with one subflow, from 10.2.1.1. Its opener has the endpoint
// 10.2.2.1, and its socket allows some further subflows.
func joiner(allowed float64, flags ...string) *causeFinder {
	first := netip.MustParseAddrPort("10.2.1.1:40000")
	list, one := record("endpoints", 1, nil), record("endpoints", 1, map[string]int64{"id": 2})
	one.Name, one.Flags = "10.2.2.1", flags
	list.List = []*hosts.Record{one}
	h := &host{Host: &hosts.Host{End: report.SideA, States: map[hosts.Thing]hosts.State{endpoints: {After: list}}}}
	h.tcp = map[pair][]*socket{{local: first}: {{}}}
	m := &socket{of: h, mptcp: true, info: 1, figures: figures{}, first: sample{hosts.NoStamp, hosts.Ref{File: &hosts.File{Path: "ss"}, Line: 3}}}
	m.figures.set("subflows_max", allowed)
	of := &joinedConn{mptcp: [2]*socket{m, nil}}
	c := &report.Connection{DurationS: 5, Subflows: []report.Subflow{{A: report.Endpoint{Addr: "10.2.1.1", Port: 40000}, B: report.Endpoint{Addr: "10.2.100.2", Port: 5001}}}}
	return &causeFinder{Records: &Records{hosts: []*host{h}}, hosts: [2]*host{h, nil}, conn: c, of: of, verdicts: &report.List[report.Verdict]{}}
}

// An endpoint that nothing used has a verdict; one that was used, removed, of another family or
// without the flag has none, and neither has a connection that was too short.
func TestEndpointUnused(t *testing.T) {
	other := netip.MustParseAddrPort("10.2.2.1:50000")
	for _, c := range []struct {
		name   string
		change func(*causeFinder)
		flags  []string
		want   int
	}{
		{"unused", func(*causeFinder) {}, []string{"subflow"}, 1},
		{"announced alone", func(*causeFinder) {}, []string{"signal"}, 0},
		{"of a socket in the records", func(s *causeFinder) { s.hosts[0].tcp[pair{local: other}] = []*socket{{}} }, []string{"subflow"}, 0},
		{"of an event", func(s *causeFinder) {
			s.hosts[0].Records = map[hosts.Kind][]*hosts.Record{hosts.Monitor: {{Local: other}}}
		}, []string{"subflow"}, 0},
		{"of a subflow in the capture", func(s *causeFinder) {
			s.conn.Subflows = append(s.conn.Subflows, report.Subflow{A: report.Endpoint{Addr: "10.2.2.1", Port: 50000}, B: report.Endpoint{Addr: "10.2.100.2", Port: 5001}})
		}, []string{"subflow"}, 0},
		{"removed", func(s *causeFinder) {
			s.hosts[0].States[endpoints] = hosts.State{Before: s.hosts[0].States[endpoints].After, After: &hosts.Record{}}
		}, []string{"subflow"}, 0},
		{"IPv6", func(s *causeFinder) { s.hosts[0].States[endpoints].After.List[0].Name = "2001:db8::1" }, []string{"subflow"}, 0},
		{"short", func(s *causeFinder) { s.conn.DurationS = 0.5 }, []string{"subflow"}, 0},
		{"a path is not captured", func(s *causeFinder) {
			*s.verdicts = append(*s.verdicts, report.Verdict{Code: report.VerdictUncaptured})
		}, []string{"subflow"}, 0},
		{"no list of sockets", func(s *causeFinder) { s.hosts[0].tcp = nil }, []string{"subflow"}, 0},
	} {
		s := joiner(2, c.flags...)
		c.change(s)
		before := len(*s.verdicts)
		if s.unused(); len(*s.verdicts)-before != c.want {
			t.Errorf("%s: %d verdicts, want %d", c.name, len(*s.verdicts)-before, c.want)
		}
	}
}

// The limit is the cause where the connection has as many further subflows as it allows. Without
// a cause the limit is excluded, and the others remain.
func TestEndpointUnusedCause(t *testing.T) {
	s := joiner(0, "subflow")
	s.unused()
	v := (*s.verdicts)[0]
	if v.Cause == nil || v.Cause.Code != report.CauseSubflowLimit || *v.Cause.Host != report.SideA || len(v.Alternatives) != 0 || v.Kernel[0].File != "ss" || v.Kernel[1].File != "endpoints" {
		t.Errorf("%+v", v)
	}
	s = joiner(2, "subflow")
	s.unused()
	v = (*s.verdicts)[0]
	var left []report.CauseCode
	for _, a := range v.Alternatives {
		left = append(left, a.Code)
	}
	if v.Cause != nil || len(left) != 3 || left[0] != report.CauseNoRoute || left[1] != report.CauseInterfaceDown || left[2] != report.CauseFirewall {
		t.Errorf("%+v, left %v", v.Cause, left)
	}
	s = joiner(2, "subflow")
	down := record("links", 5, nil)
	s.hosts[0].Records = map[hosts.Kind][]*hosts.Record{hosts.Addr: {device("p2", "10.2.2.1")}}
	s.hosts[0].States[hosts.Thing{Kind: hosts.Link, Name: "p2"}] = hosts.State{Before: down, After: down}
	s.unused()
	if v = (*s.verdicts)[0]; v.Cause == nil || v.Cause.Code != report.CauseInterfaceDown || v.Kernel[0].Line != 5 {
		t.Errorf("%+v", v)
	}
}

// A verdict stands behind those that are as severe and before those that are less.
func TestAdd(t *testing.T) {
	s := &causeFinder{verdicts: &report.List[report.Verdict]{{Severity: report.Critical}, {Severity: report.Major}, {Severity: report.Minor}, {Severity: report.Fine}}}
	s.add(report.Verdict{Severity: report.Major, Text: "new"})
	for i, v := range *s.verdicts {
		assert.Check(t, (v.Text == "new") == (i == 2), "%d: %+v", i, v)
	}
}
