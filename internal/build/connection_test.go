package build

import (
	"net/netip"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/tracegen"
)

// TestFacts: each value of an event has its field, and what an event has not is null.
func TestFacts(t *testing.T) {
	byteOf := func(n uint8) conn.OptionalByte { return conn.OptionalByte{N: n, Known: true} }
	got := Facts(&fill.Memory{}, &conn.Facts{
		Address: netip.MustParseAddr("10.0.0.7"), Port: 81, AddressID: byteOf(0), Reason: byteOf(3), Authentic: conn.HMACInvalid,
		Echo: conn.No, Transient: conn.Yes, Backup: conn.No, Effective: conn.Yes,
	})
	want := report.EventFacts{
		Address: new("10.0.0.7"), Port: new(81), AddressID: new(0), ReasonCode: new(3), Reason: new(mptcp.ResetReason(3).String()), HMAC: new(report.HMACInvalid),
		Echo: new(false), Transient: new(true), Backup: new(false), Effective: new(true),
	}
	assert.Check(t, is.DeepEqual(got, want))
	swapped := Facts(&fill.Memory{}, &conn.Facts{Authentic: conn.HMACValid, Echo: conn.Yes, Backup: conn.Yes, Effective: conn.No})
	assert.Check(t, is.DeepEqual(swapped, report.EventFacts{HMAC: new(report.HMACValid), Echo: new(true), Backup: new(true), Effective: new(false)}))
	unchecked := Facts(&fill.Memory{}, &conn.Facts{Authentic: conn.HMACUnchecked})
	assert.Check(t, *unchecked.HMAC == report.HMACUnchecked, "unchecked is %s", *unchecked.HMAC)
}

// TestCapable: what each of the three packets offered, flag by flag (RFC 8684, Section 3.1: A is the
// highest bit).
func TestCapable(t *testing.T) {
	c := &conn.Conn{}
	c.Offers[conn.OfferSYN] = conn.Offer{Seen: true, Version: 0, Flags: 0b1010_1010}
	c.Offers[conn.OfferThird] = conn.Offer{Seen: true, Version: 1, Flags: 0b0101_0101}
	want := report.Capable{
		RequestedVersion: new(0), RequestedFlags: &report.CapableFlags{A: true, C: true, E: true, G: true},
		ThirdACKVersion: new(1), ThirdACKFlags: &report.CapableFlags{B: true, D: true, F: true, H: true},
	}
	assert.Check(t, is.DeepEqual(capable(&fill.Memory{}, c), want))
	c.Offers[conn.OfferSYNACK] = conn.Offer{Seen: true, Version: 5, Flags: 1}
	got := capable(&fill.Memory{}, c)
	assert.Check(t, *got.AnsweredVersion == 5 && *got.AnsweredFlags == (report.CapableFlags{H: true}), "SYN/ACK: %d, %+v", *got.AnsweredVersion, *got.AnsweredFlags)
}

// TestNames: a path has the user's name or the addresses of its ends, A first.
func TestNames(t *testing.T) {
	ends := [2]packet.Endpoint{{Addr: netip.MustParseAddr("10.0.0.1").As16(), Port: 5}, {Addr: netip.MustParseAddr("2001:db8::2").As16(), Port: 6}}
	b := Builder{}
	assert.Check(t, is.Equal(b.Path(&conn.Subflow{Ends: ends}), "10.0.0.1-2001:db8::2"), "path")
	b.Label = func(a, z netip.Addr) string {
		if a.Is4() && z.Is6() {
			return "mixed"
		}
		return ""
	}
	assert.Check(t, is.Equal(b.PathOf(ends), "mixed"), "label")
	slices.Reverse(ends[:])
	assert.Check(t, is.Equal(b.PathOf(ends), "2001:db8::2-10.0.0.1"), "path without a label")
	assert.Check(t, hex32(0x0100beef) == "0x0100beef" && ms(2_500_000) == 2.5 && seconds(2_500_000_000) == 2.5, "names of numbers or times")
	assert.Check(t, DirectionOf(conn.A) == report.A2B && DirectionOf(conn.B) == report.B2A, "names of directions")
}

// TestStates: how a plain connection ends, who ended it, and why it is plain. Both hosts are 10 ms apart.
func TestStates(t *testing.T) {
	bare := func(p *tracegen.Packet) { p.Options = nil }
	open := func(f *tracegen.Subflow) {
		f.SYN(0).Edit(bare)
		f.SYNACK(10 * msec).Edit(bare)
		f.ThirdACK(20 * msec).Edit(bare)
	}
	for name, c := range map[string]struct {
		play  func(f *tracegen.Subflow)
		state report.SubflowState
		by    report.Side // "" for nobody
		how   string
		rtt   float64 // 0 for none
		code  report.FallbackCode
	}{
		"unanswered":   {func(f *tracegen.Subflow) { f.SYN(0).Lose() }, report.SubflowUnanswered, "", "", 0, ""},
		"refused":      {func(f *tracegen.Subflow) { f.RST(tracegen.B2A, f.SYN(0).ArrivesAt()) }, report.SubflowRefused, report.SideB, "refused by RST", 0, ""},
		"open":         {open, report.SubflowOpen, "", "", 20, ""},
		"not granted":  {func(f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * msec).Edit(bare); f.ThirdACK(20 * msec).Edit(bare) }, report.SubflowOpen, "", "", 20, report.FallbackSYNACK},
		"asked before": {func(f *tracegen.Subflow) { f.SYN(0); f.SYN(1000 * msec).Edit(bare); f.SYNACK(1010 * msec).Edit(bare) }, report.SubflowSYNReceived, "", "", 0, report.FallbackSYN},
		"asked twice":  {func(f *tracegen.Subflow) { f.SYN(0); f.SYN(1000 * msec).Edit(bare) }, report.SubflowUnanswered, "", "", 0, ""},
		"half closed":  {func(f *tracegen.Subflow) { open(f); f.FIN(tracegen.B2A, 50*msec) }, report.SubflowHalfClosed, report.SideB, "FIN", 20, ""},
		"by the other": {func(f *tracegen.Subflow) { open(f); f.FIN(tracegen.A2B, 50*msec) }, report.SubflowHalfClosed, report.SideA, "FIN", 20, ""},
		"closed":       {func(f *tracegen.Subflow) { open(f); f.FIN(tracegen.A2B, 50*msec); f.FIN(tracegen.B2A, 55*msec) }, report.SubflowClosed, report.SideA, "FIN", 20, ""},
		"reset":        {func(f *tracegen.Subflow) { open(f); f.RST(tracegen.B2A, 50*msec, &mptcp.TCPRST{Reason: 3}) }, report.SubflowReset, report.SideB, "RST: administratively prohibited", 20, ""},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		c.play(s.Subflow(pathOf(0)))
		_, tcp := reports(t, &Builder{}, s)
		p := &tcp[0]
		got := c
		got.state, got.by, got.how, got.rtt, got.code = p.State, valueOf(p.ClosedBy), valueOf(p.CloseReason), valueOf(p.HandshakeRTT), valueOf(p.FallbackCode)
		assert.Check(t, got.state == c.state && got.by == c.by && got.how == c.how && got.rtt == c.rtt && got.code == c.code && *p.Initiator == report.SideA,
			"%s: %s by %q (%s), round trip %v, %s", name, got.state, got.by, got.how, got.rtt, got.code)
		place := "the handshakes' round trips lie beyond B's side of the capture point"
		assert.Check(t, c.rtt == 0 || p.VantageEvidence == place && p.Vantage == report.VantageA, "%s: %s, because %s", name, p.Vantage, p.VantageEvidence)
	}
	for s, want := range map[conn.State]report.ConnState{
		conn.Open: report.ConnOpen, conn.Closed: report.ConnClosed, conn.Fastclosed: report.ConnFastclosed, conn.WasReset: report.ConnReset,
		conn.SYNReceived: report.ConnSYNReceived,
	} {
		assert.Check(t, is.Equal(connState(s), want), "state %v", s)
	}
}

// valueOf returns the value, zero where there is none.
func valueOf[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}

// TestConnection: who is who in a session of two subflows. B opens the second one 200 ms after the first,
// as a backup, with an address id of its own; A closes that with a FIN.
func TestConnection(t *testing.T) {
	s, f := oneSubflow(tracegen.Config{Version: 1, Checksum: true})
	second := pathOf(1)
	second.FromB, second.Backup, second.ID = true, true, [2]uint8{3, 5}
	g := s.Subflow(second)
	f.Open(0)
	g.Open(200 * msec)
	f.Data(tracegen.A2B, 300*msec, 0, 1000)
	g.FIN(tracegen.A2B, 400*msec)
	f.RST(tracegen.B2A, 500*msec, &mptcp.TCPRST{Reason: 2, Flags: mptcp.ResetTransient})
	conns, _ := reports(t, &Builder{}, s)
	c := &conns[0]
	start := c.Start
	if *c.Version != 1 || !*c.Checksum || !c.Handshake || *c.Initiator != report.SideA || *c.TokenA != hex32(s.Token(tracegen.A2B)) || *c.TokenB != hex32(s.Token(tracegen.B2A)) || c.DurationS != 0.51 || start == 0 || c.VantageEvidence != "the handshakes' round trips lie beyond B's side of the capture point" {
		t.Errorf("connection: %+v", c)
	}
	x, y := &c.Subflows[0], &c.Subflows[1]
	why, _ := x.Unavailable.Of("join_delay_ms")
	if x.JoinDelay != nil || why != "the initial subflow does not join" || *x.AddressIDA != 0 || *x.AddressIDB != 0 || x.JoinHMAC != report.HMACNone || x.Backup || x.BackupSYN != nil || x.State != report.SubflowReset || *x.ClosedBy != report.SideB || *x.CloseReason != "RST: lack of resources" || x.StartS != 0 || x.EndS != 0.51 {
		t.Errorf("first subflow, no join delay because %q: %+v", why, x)
	}
	// Seen at A, B's SYN comes 10 ms after it was sent.
	if *y.Initiator != report.SideB || y.ID != 1 || *y.JoinDelay != 210 || *y.HandshakeRTT != 20 || *y.AddressIDA != 3 || *y.AddressIDB != 5 || y.JoinHMAC != report.HMACValid || !y.Backup || !*y.BackupSYN || !*y.BackupSYNACK || *y.ClosedBy != report.SideA || y.StartS != 0.21 || y.EndS != 0.4 {
		t.Errorf("second subflow: %+v, join delay %v, round trip %v", y, *y.JoinDelay, *y.HandshakeRTT)
	}
	j := slices.IndexFunc(c.Events, func(e report.Event) bool { return e.Kind == report.EventJoin })
	e := c.Events[j]
	assert.Check(t, *e.Subflow == 1 && e.Detail == "subflow 1 joined by b" && x.B2A.ResetReasons[0].Reason == "lack of resources", "event of the join: %+v", e)
	i := slices.IndexFunc(c.Events, func(e report.Event) bool { return e.Kind == report.EventReset })
	e = c.Events[i]
	assert.Check(t, e.TS == 0.51 && *e.Subflow == 0 && *e.Direction == report.B2A && *e.ReasonCode == 2 && *e.Transient && *e.Packet != 0, "event of the RST: %+v", e)
}

// TestJoinDelayAbsent: why it is not known how long after the connection's SYN a subflow joined. Packets 1
// to 3 are the handshake of the first subflow, 4 to 6 that of the second.
func TestJoinDelayAbsent(t *testing.T) {
	const aSYN = "a SYN is not in the capture"
	for _, c := range []struct {
		first  bool // the first subflow is there
		missed []int
		why    string
	}{
		{true, []int{1}, aSYN},
		{true, []int{4, 5, 6}, aSYN},
		{true, []int{1, 2, 3}, aSYN},
		{false, nil, "the connection's first SYN is not in the capture"},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f, g := s.Subflow(pathOf(0)), s.Subflow(pathOf(1))
		if c.first {
			f.Open(0)
		}
		g.Open(200 * msec)
		if c.first {
			f.Ack(tracegen.B2A, f.Data(tracegen.A2B, 300*msec, 0, 1000).ArrivesAt())
		}
		g.Ack(tracegen.B2A, g.Data(tracegen.A2B, 400*msec, 1000, 1000).ArrivesAt())
		conns, _ := reports(t, &Builder{}, s, c.missed...)
		last := conns[0].Subflows[len(conns[0].Subflows)-1]
		why, _ := last.Unavailable.Of("join_delay_ms")
		assert.Check(t, last.JoinDelay == nil && why == c.why,
			"without packets %d, the first subflow is there: %v: join delay %v because %q, want %q", c.missed, c.first, last.JoinDelay, why, c.why)
	}
}
