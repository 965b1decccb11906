package diagnose_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// closing is a download of 3000 bytes under one mapping, whose second third is lost and sent again
// at 320 ms. A joins meanwhile, and b resets the subflow at 172 ms. b's DATA_FIN is sent at fin,
// and is lost the first time where again is not 0.
func closing(fin, again time.Duration, more bool) *tracegen.Session {
	s, first := begin()
	second := s.Subflow(path(1, 20*ms))
	m := first.Map(tracegen.B2A, 0, 3000)
	m.Send(100*ms, 0, 1000)
	lost := m.Send(101*ms, 1000, 1000).Lose()
	m.Send(102*ms, 2000, 1000)
	third := second.ThirdACK(second.SYNACK(second.SYN(112 * ms).ArrivesAt()).ArrivesAt())
	second.RST(tracegen.B2A, third.ArrivesAt(), &mptcp.TCPRST{Reason: mptcp.ResetProhibited})
	lost.Again(320 * ms)
	length := int64(3000)
	if more {
		first.Data(tracegen.B2A, 325*ms, 3000, 1000)
		length += 1000
	}
	x := first.DataFIN(tracegen.B2A, fin, length)
	if again > 0 {
		x.Lose()
		first.DataFIN(tracegen.B2A, again, length)
	}
	return s
}

// TestJoinWhileClosing: b closes the connection and resets the subflow that a is opening. b sees
// its own DATA_FIN before the RST; a sees it only when it comes again, behind a copy of old data.
// No end finds a fault. It is another thing if b sends new data afterwards.
func TestJoinWhileClosing(t *testing.T) {
	for _, c := range []struct {
		name      string
		session   func() *tracegen.Session
		code      report.VerdictCode
		severity  report.Severity
		certainty [2]report.Certainty // at a, at b
	}{
		{"closing", func() *tracegen.Session { return closing(103*ms, 330*ms, false) }, report.VerdictTooShort, report.Minor, [2]report.Certainty{report.Likely, report.Certain}},
		{"new data afterwards", func() *tracegen.Session { return closing(340*ms, 0, true) }, report.VerdictJoinAborted, report.Critical, [2]report.Certainty{report.Certain, report.Certain}},
		{"closed 3.6 s later", func() *tracegen.Session { return closing(3772*ms, 0, false) }, report.VerdictJoinAborted, report.Major, [2]report.Certainty{report.Likely, report.Likely}},
	} {
		for i, at := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			v := find(t, see(t, c.session(), at), c.code)
			if v.Severity != c.severity || v.Certainty != c.certainty[i] || v.Subflow == nil || *v.Subflow != 1 {
				t.Errorf("%s, capture %d: %+v", c.name, i, v)
			}
		}
	}
}

// TestJoinInvalidWhileClosing: a subflow whose HMAC is not valid is refused for that, whether or not
// the connection is closing.
func TestJoinInvalidWhileClosing(t *testing.T) {
	s, first := begin()
	second := s.Subflow(path(1, 20*ms))
	first.Data(tracegen.B2A, 100*ms, 0, 1000)
	third := second.ThirdACK(second.SYNACK(second.SYN(112 * ms).ArrivesAt()).ArrivesAt()).Edit(func(p *tracegen.Packet) {
		eachOption(p, func(opt []byte) { opt[len(opt)-1] ^= 1 })
	})
	first.DataFIN(tracegen.B2A, 160*ms, 1000)
	second.RST(tracegen.B2A, third.ArrivesAt())
	if v := find(t, see(t, s, tracegen.HostA), report.VerdictJoinAborted); v.Severity != report.Critical || !strings.Contains(v.Text, "HMAC of its MP_JOIN is not valid") {
		t.Errorf("%+v", v)
	}
}

// TestJoinOverSoon: one SYN that gets no answer proves nothing if the connection ends before the SYN
// could be repeated, after a second. If it lasts longer, the host would have repeated it.
func TestJoinOverSoon(t *testing.T) {
	for _, c := range []struct {
		fin  time.Duration
		code report.VerdictCode
	}{{1111 * ms, report.VerdictTooShort}, {1113 * ms, report.VerdictJoinUnanswered}} {
		s, first := begin()
		second := s.Subflow(path(1, 20*ms))
		first.Data(tracegen.B2A, 100*ms, 0, 1000)
		second.SYN(122 * ms).Lose()
		first.DataFIN(tracegen.B2A, c.fin, 1000) // arrives at a 10 ms later
		first.Ack(tracegen.B2A, 4000*ms)
		if v := find(t, see(t, s, tracegen.HostA), c.code); v.Subflow == nil || *v.Subflow != 1 {
			t.Errorf("DATA_FIN at %v: %+v", c.fin, v)
		}
	}
}

// TestJoinToClient: B opens a subflow to the port from which A had connected, at another address of A, and A refuses it: a
// client does not listen. Where A has that pair of addresses already, nothing is missing.
func TestJoinToClient(t *testing.T) {
	for name, c := range map[string]struct {
		port     uint16
		beside   bool
		form     string
		severity report.Severity
	}{
		"to its port":                    {20000, false, "client", report.Major},
		"beside a subflow of the pair":   {20000, true, "client", report.Minor},
		"to a port where it may listen":  {443, false, "", report.Critical},
		"the same, and the pair is used": {443, true, "", report.Critical},
	} {
		s, first := begin()
		if c.beside {
			second := s.Subflow(path(1, 10*ms))
			second.Open(50 * ms)
			second.Data(tracegen.A2B, 150*ms, 0, 1000)
		}
		p := path(1, 10*ms)
		p.FromB, p.A, p.B = true, netip.AddrPortFrom(p.A.Addr(), c.port), netip.AddrPortFrom(p.B.Addr(), 33000)
		third := s.Subflow(p)
		third.RST(tracegen.A2B, third.SYN(200*ms).ArrivesAt())
		steady(first, 300*ms, 1000, 300)
		v := find(t, see(t, s, tracegen.HostA), report.VerdictJoinRefused)
		assert.Check(t, v.Form == c.form && v.Severity == c.severity, "%s: form %q, %s: %s", name, v.Form, v.Severity, v.Text)
	}
}
