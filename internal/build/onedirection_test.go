package build

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// oneWay plays a session of which the capture lacks the packets of a host that one of two subflows, or
// both, carried. B ends the first subflow, A the second.
func oneWay(t *testing.T, b *Builder, plain bool, lacks func(port int, from tracegen.Dir) bool) ([]report.Connection, []report.TCP) {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1, Plain: plain})
	subs := []*tracegen.Subflow{s.Subflow(pathOf(0))}
	if !plain {
		subs = append(subs, s.Subflow(pathOf(1)))
	}
	for i, f := range subs {
		f.Open(200 * msec * time.Duration(i))
		x := f.Data(tracegen.A2B, time.Second, int64(1000*i), 1000)
		f.Ack(tracegen.B2A, x.ArrivesAt())
		y := f.Data(tracegen.B2A, time.Second+100*msec, int64(1000*i), 1000)
		f.Ack(tracegen.A2B, y.ArrivesAt())
		f.FIN(tracegen.Dir(1-i), 2*time.Second)
	}
	var missed []int
	for i, p := range s.Packets(tracegen.HostA) {
		from, port := tracegen.A2B, p.Src.Port()
		if p.Src.Port() == 80 {
			from, port = tracegen.B2A, p.Dst.Port()
		}
		if lacks(int(port)-40000, from) {
			missed = append(missed, i+1)
		}
	}
	return reports(t, b, s, missed...)
}

// TestOneDirection: of packets that were not captured nothing is counted, and the state of what they may
// have ended is not known.
func TestOneDirection(t *testing.T) {
	ofB := func(_ int, from tracegen.Dir) bool { return from == tracegen.B2A }
	ofA := func(_ int, from tracegen.Dir) bool { return from == tracegen.A2B }
	for name, c := range map[string]struct {
		lacks  func(sub int, from tracegen.Dir) bool
		data   [2]bool    // the connection has a direction
		subs   [2][2]bool // each subflow has
		states [2]report.SubflowState
		state  report.ConnState
	}{
		"all captured":    {func(int, tracegen.Dir) bool { return false }, [2]bool{true, true}, [2][2]bool{{true, true}, {true, true}}, [2]report.SubflowState{report.SubflowHalfClosed, report.SubflowHalfClosed}, report.ConnOpen},
		"nothing of B":    {ofB, [2]bool{true, false}, [2][2]bool{{true, false}, {true, false}}, [2]report.SubflowState{report.SubflowUnknown, report.SubflowUnknown}, report.ConnUnknown},
		"nothing of A":    {ofA, [2]bool{false, true}, [2][2]bool{{false, true}, {false, true}}, [2]report.SubflowState{report.SubflowUnknown, report.SubflowUnknown}, report.ConnUnknown},
		"B on the second": {func(sub int, from tracegen.Dir) bool { return sub == 1 && from == tracegen.B2A }, [2]bool{true, false}, [2][2]bool{{true, true}, {true, false}}, [2]report.SubflowState{report.SubflowHalfClosed, report.SubflowUnknown}, report.ConnUnknown},
	} {
		_, plain := oneWay(t, &Builder{}, true, c.lacks) // its one subflow is like the first one of Multipath TCP
		p := &plain[0]
		if got := [2]bool{p.A2B != nil, p.B2A != nil}; got != c.subs[0] || p.State != c.states[0] || (p.ClosedBy == nil) != (c.states[0] == report.SubflowUnknown) {
			t.Errorf("%s: plain TCP has directions %v, state %s, closed by %v", name, got, p.State, p.ClosedBy)
		}
		conns, _ := oneWay(t, &Builder{}, false, c.lacks)
		k := &conns[0]
		if got := [2]bool{k.A2B != nil, k.B2A != nil}; got != c.data || k.State != c.state {
			t.Errorf("%s: the connection has directions %v, state %s", name, got, k.State)
		}
		for i := range k.Subflows {
			f := &k.Subflows[i]
			if got := [2]bool{f.A2B != nil, f.B2A != nil}; got != c.subs[i] || f.State != c.states[i] || (f.ClosedBy == nil) != (f.State == report.SubflowUnknown) || (f.CloseReason == nil) != (f.ClosedBy == nil) {
				t.Errorf("%s: subflow %d has directions %v, state %s, closed by %v", name, i, got, f.State, f.ClosedBy)
			}
		}
	}
	// Of two captures the other one may have them.
	b := &Builder{OnlyIn: new(report.SenderHost)}
	conns, _ := oneWay(t, b, false, ofB)
	assert.Check(t, conns[0].B2A != nil && conns[0].State != report.ConnUnknown, "of two captures: %+v", conns[0])
	_, plain := oneWay(t, &Builder{OnlyIn: new(report.SenderHost)}, true, ofB)
	assert.Check(t, plain[0].B2A != nil && plain[0].State != report.SubflowUnknown, "of two captures, plain: %+v", plain[0])
}
