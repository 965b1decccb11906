package diagnose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestSetupLength: the SYN/ACK of each subflow is sent twice, and the third packet answers the second one.
// At a that leaves 20 ms after the gap between them, and the confirmation of a join comes 20 ms later. A
// handshake of 1 s is slow. Without its SYN nothing tells how long it took.
func TestSetupLength(t *testing.T) {
	for _, c := range []struct {
		gap         time.Duration
		seen        bool
		setup, join report.Severity // empty for no verdict
	}{
		{980 * ms, true, report.Major, report.Major},
		{979 * ms, true, report.Minor, report.Major},
		{960 * ms, true, report.Minor, report.Major},
		{959 * ms, true, report.Minor, report.Minor},
		{980 * ms, false, "", ""},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
		at := 0 * ms
		for i := range 2 {
			f := s.Subflow(path(i, 10*ms))
			syn := f.SYN(at)
			if !c.seen {
				syn.Unseen()
			}
			f.SYNACK(syn.ArrivesAt())
			third := f.ThirdACK(f.SYNACK(syn.ArrivesAt() + c.gap).ArrivesAt())
			at = third.ArrivesAt() + 100*ms
			f.Ack(tracegen.B2A, third.ArrivesAt())
			f.Data(tracegen.A2B, at, int64(1000*i), 1000)
		}
		d := see(t, s, tracegen.HostA)
		for code, want := range map[report.VerdictCode]report.Severity{report.VerdictSetupSlow: c.setup, report.VerdictJoinSlow: c.join} {
			if want == "" {
				without(t, "no SYN", d, code)
			} else if v := find(t, d, code); v.Severity != want {
				t.Errorf("%v between the SYN/ACKs: %s is a %s, want a %s", c.gap, code, v.Severity, want)
			}
		}
	}
}

// TestUnfinishedHandshake: a SYN/ACK or a third packet that is sent again and never answered, at the host that sends
// it, and at the other. Where the other end repeats its packet, too, its way is open.
func TestUnfinishedHandshake(t *testing.T) {
	for name, c := range map[string]struct {
		join     bool
		syns, n  int // SYNs, and SYN/ACKs or third packets
		third    bool
		answered bool
		want     string // subflow, form and words; empty for no verdict
	}{
		"the SYN/ACK once":                     {n: 1, syns: 1},
		"the SYN/ACK four times in 3 s":        {n: 4, syns: 1}, // the capture may end before the answer
		"the SYN/ACK five times":               {n: 5, syns: 1, want: "0  by=b peer=a times=5 lasted=4000"},
		"SYN twice and SYN/ACK five times":     {n: 5, syns: 2, want: "0  by=b peer=a times=5 lasted=4000 repeated"},
		"the SYN/ACK of a join":                {n: 3, syns: 2, join: true, want: "1  by=b peer=a times=3 lasted=2000 repeated"},
		"the third packet of a join once":      {n: 1, syns: 1, join: true, third: true},
		"the third packet of a join":           {n: 3, syns: 1, join: true, third: true, want: "1 third by=a peer=b times=3 lasted=2000"},
		"the third packet of a join, answered": {n: 3, syns: 1, join: true, third: true, answered: true},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
		first := s.Subflow(path(0, 10*ms))
		f, at := first, 0*ms
		if c.join {
			h := first.Open(0)
			at = h.Established()
			f = s.Subflow(path(1, 10*ms))
		}
		var syn *tracegen.Sent
		for i := range c.syns {
			syn = f.SYN(at + time.Duration(i)*500*ms)
		}
		view, last := tracegen.HostB, f.SYNACK(syn.ArrivesAt())
		if c.third {
			view, last = tracegen.HostA, f.ThirdACK(last.ArrivesAt())
		}
		for i := 1; i < c.n; i++ {
			again := last.Again(last.SentAt() + time.Duration(i)*1000*ms)
			if !c.answered {
				again.Lose()
			}
		}
		if c.answered {
			f.Ack(tracegen.B2A, last.SentAt()+5000*ms)
		} else {
			last.Lose()
		}
		if c.join {
			first.Data(tracegen.A2B, 9000*ms, 0, 1000)
		}
		got := ""
		for _, v := range verdictsOf(see(t, s, view), report.VerdictHandshake) {
			got = fmt.Sprintf("%d %s", *v.Subflow, v.Form)
			for _, p := range v.Parameters {
				switch {
				case p.Value != nil:
					got += fmt.Sprintf(" %s=%g", p.Name, *p.Value)
				case p.Text == "yes":
					got += " " + p.Name
				default:
					got += fmt.Sprintf(" %s=%s", p.Name, p.Text)
				}
			}
		}
		assert.Check(t, got == c.want, "%s: %q, want %q", name, got, c.want)
	}
}

// TestJoinItself: the SYNs with MP_JOIN of a arrive at b, which sends nothing. At a, nothing tells whether they arrived.
func TestJoinItself(t *testing.T) {
	x := failure{play: func(s *tracegen.Session, _ *tracegen.Subflow) { times(joining(s).SYN) }}
	for _, end := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		v := find(t, x.seen(t, end), report.VerdictJoinUnanswered)
		assert.Check(t, strings.Contains(v.Text, "They arrived at b, which sent none") == (end == tracegen.HostB), v.Text)
	}
}

// TestICMPSays: the SYNs with MP_JOIN of a get ICMP for an answer, which the verdict says.
func TestICMPSays(t *testing.T) {
	x := failure{play: func(s *tracegen.Session, _ *tracegen.Subflow) { times(lost(joining(s).SYN)) }, icmp: []byte{3, 13}}
	d := x.seen(t, tracegen.HostA)
	v := find(t, d, report.VerdictJoinUnanswered)
	assert.Check(t, strings.HasSuffix(v.Text, ". ICMP of 203.0.113.7 says: communication administratively prohibited"), v.Text)
	wantNumber(t, v, "ICMP messages", 1)
	assert.Check(t, slices.ContainsFunc(d.Connections[0].Events, func(e report.Event) bool {
		return e.Kind == report.EventICMP && *e.Subflow == 1 && *e.Packet == d.Captures[0].Packets && *e.Address == "203.0.113.7"
	}), "%+v", d.Connections[0].Events)
	assert.Check(t, d.Captures[0].Skipped.NotTCP == 1, "%+v", d.Captures[0].Skipped)
}
