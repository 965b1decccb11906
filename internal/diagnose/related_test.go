package diagnose_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLikelyJoin: beside an open connection a SYN without an option comes to the same host and port. Its
// sender resets it when the SYN/ACK comes, or does not answer three of them: that is a join without
// its option, likely. From the address of the subflow, or if it answers, it is plain TCP.
func TestLikelyJoin(t *testing.T) {
	for what, c := range map[string]struct {
		from  int // path
		reset bool
		third bool
		want  string // that the sentence says; empty for plain TCP
	}{
		"reset":                 {1, true, false, "a reset it when the SYN/ACK came"},
		"silent":                {1, false, false, "a never acknowledged the SYN/ACK"},
		"answered":              {1, false, true, ""},
		"reset after its ACK":   {1, true, true, ""},
		"from the same address": {0, true, false, ""},
	} {
		s, first := begin()
		steady(first, 100*ms, 0, 500)
		p := path(c.from, 10*ms)
		p.A = netip.AddrPortFrom(p.A.Addr(), 30000)
		plain := s.Subflow(p)
		syn := plain.SYN(200 * ms)
		syn.Edit(erase)
		for _, again := range []time.Duration{0, 1000 * ms, 3000 * ms} {
			answer := plain.SYNACK(syn.ArrivesAt() + again)
			if answer.Edit(erase); again == 0 {
				if c.third {
					plain.ThirdACK(answer.ArrivesAt()).Edit(erase)
				}
				if c.reset {
					plain.RST(tracegen.A2B, answer.ArrivesAt()+ms)
				}
			}
			if c.reset || c.third {
				break
			}
		}
		d := see(t, s, tracegen.HostB)
		if c.want == "" {
			without(t, what, d, report.VerdictJoinStripped)
			continue
		}
		all := verdictsOf(d, report.VerdictJoinStripped)
		assert.Assert(t, len(all) == 2, "%s: %+v", what, verdictsOf(d, "")) // of both connections
		for _, v := range all {
			assert.Check(t, v.Certainty == report.Likely && v.Severity == report.Major && strings.Contains(v.Text, c.want), "%s: %+v", what, v)
		}
		without(t, what, d, report.VerdictSinglePath, report.VerdictNotRequested)
	}
}

// TestBlackhole: two SYNs of A with MP_CAPABLE get no answer, a third one without it does. Later connections of A do
// not ask: Linux leaves the option out for an hour. That of another host, one before, and one later say nothing of it.
func TestBlackhole(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
	p := path(0, 10*ms)
	p.A = netip.AddrPortFrom(p.A.Addr(), 30001)
	f := s.Subflow(p) // the first of a session asks by MP_CAPABLE
	plain := func(from int, port uint16, at time.Duration) *tracegen.Subflow {
		p := path(from, 10*ms)
		p.A = netip.AddrPortFrom(p.A.Addr(), port)
		f := s.Subflow(p)
		syn := f.SYN(at)
		answer := f.SYNACK(syn.Edit(erase).ArrivesAt()).Edit(erase)
		f.ThirdACK(answer.ArrivesAt()).Edit(erase)
		return f
	}
	plain(0, 30000, 0)
	f.SYN(10 * time.Second).Lose()
	last := f.SYN(11 * time.Second)
	f.ThirdACK(f.SYNACK(last.Edit(erase).ArrivesAt()).Edit(erase).ArrivesAt()).Edit(erase)
	plain(0, 30002, 20*time.Second)
	plain(1, 30003, 30*time.Second)
	plain(0, 30004, 10*time.Second+time.Hour)
	var forms strings.Builder
	for _, c := range see(t, s, tracegen.HostA).TCP {
		for _, v := range c.Verdicts {
			fmt.Fprintf(&forms, "%d %s %s\n", c.ID, v.Code, v.Form)
		}
	}
	assert.Equal(t, forms.String(), "0 mptcp_not_requested at_a\n1 syn_dropped \n2 mptcp_not_requested blackhole\n3 mptcp_not_requested at_a\n4 mptcp_not_requested at_a\n")
}
