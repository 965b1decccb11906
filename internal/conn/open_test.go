package conn

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

var views = map[string]tracegen.View{"A": tracegen.HostA, "B": tracegen.HostB, "middle": tracegen.Middle}

// Both versions, from every place: kinds, keys, tokens, joins from either
// side, their HMACs and events.
func TestHandshakes(t *testing.T) {
	for _, version := range []uint8{0, 1} {
		for name, view := range views {
			t.Run(fmt.Sprintf("version %d at %s", version, name), func(t *testing.T) {
				s, _, at := opened(tracegen.Config{Version: version, Keys: [2]uint64{7, 8}, Checksum: true})
				p := path(1)
				p.Backup = true
				second := s.Subflow(p)
				h := second.Open(at)
				p = path(2)
				p.FromB = true
				third := s.Subflow(p)
				third.Open(h.Established())
				r := analyse(t, s, view).only(t)
				c := r.c
				inUse, sure := c.Checksums()
				if c.Kind != Multipath || c.ID != 0 || c.Version != version || !c.Handshake || !inUse || !sure || len(c.Subflows) != 3 {
					t.Fatalf("connection %+v with %d subflows", c, len(c.Subflows))
				}
				want := [2]Host{
					{Key: 7, HasKey: true, Token: mptcp.Token(version, 7), HasToken: true, Checksum: true},
					{Key: 8, HasKey: true, Token: mptcp.Token(version, 8), HasToken: true, Checksum: true},
				}
				assert.Check(t, is.DeepEqual(c.Hosts, want), "hosts")
				for i, want := range []struct {
					hmac      HMAC
					initiator Side
					backup    bool
					ids       [2]int
				}{{HMACNone, A, false, [2]int{-1, -1}}, {HMACValid, A, true, [2]int{1, 11}}, {HMACValid, B, false, [2]int{2, 12}}} {
					sub := c.Subflows[i]
					if sub.HMAC != want.hmac || sub.Initiator != want.initiator || sub.Backup != want.backup || sub.AddressID != want.ids ||
						!sub.Established() || sub.Joined != (i > 0) || sub.NoSYN || sub.Refused() {
						t.Errorf("subflow %d: %+v", i, sub)
					}
				}
				// Three packets of the first handshake, four of each join.
				assert.Check(t, is.DeepEqual(r.log, []string{"join s1 #6", "join s2 #10"}), "events")
			})
		}
	}
}

func TestJoinHMAC(t *testing.T) {
	for _, tt := range []struct {
		name    string
		script  func(h *tracegen.Handshake)
		leftOut []int
		want    HMAC
		errors  []string
	}{
		{"valid", func(*tracegen.Handshake) {}, nil, HMACValid, nil},
		{"forged SYN/ACK", func(h *tracegen.Handshake) { h.SYNACK.Edit(flipTrunc) }, nil, HMACInvalid, []string{"hmac_error s1 #5"}},
		{"forged third packet", func(h *tracegen.Handshake) { h.ACK.Edit(flip(mptcp.SubJoin)) }, nil, HMACInvalid, []string{"hmac_error s1 #6"}},
		{"forged SYN/ACK and third packet", func(h *tracegen.Handshake) {
			h.SYNACK.Edit(flipTrunc)
			h.ACK.Edit(flip(mptcp.SubJoin))
		}, nil, HMACInvalid, []string{"hmac_error s1 #5"}}, // told once
		{"third packet not captured", func(*tracegen.Handshake) {}, []int{6}, HMACValid, nil},
		{"SYN/ACK not captured", func(*tracegen.Handshake) {}, []int{5}, HMACUnchecked, nil},
		{"key of A not captured", func(*tracegen.Handshake) {}, []int{3}, HMACUnchecked, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, at := opened(tracegen.Config{Version: 1})
			f := s.Subflow(path(1))
			h := f.Open(at)
			tt.script(&h)
			r := analyse(t, s, tracegen.HostA, tt.leftOut...).only(t)
			if got := r.c.Subflows[1].HMAC; got != tt.want {
				t.Errorf("verdict %v, want %v", got, tt.want)
			}
			assert.Check(t, is.DeepEqual(r.has(EventHMAC), tt.errors), "events")
		})
	}
}

// flipTrunc inverts a bit of the HMAC in the SYN/ACK of a join.
func flipTrunc(p *tracegen.Packet) {
	eachOption(p.Options, func(_, _ int, opt []byte) {
		if opt[0] == mptcp.Kind {
			opt[4] ^= 1
		}
	})
}

// The key of the initiator in version 1 may come only with its first data, after a join:
// then the join's HMAC is verified.
func TestKeyLearnedAfterJoin(t *testing.T) {
	for name, forge := range map[string]bool{"valid": false, "forged": true} {
		s, f, at := opened(tracegen.Config{Version: 1})
		f2 := s.Subflow(path(1))
		h := f2.Open(at)
		if forge {
			h.ACK.Edit(flip(mptcp.SubJoin))
		}
		f.Map(a2b, 0, 100).OnCapable().Send(h.Established(), 0, 100)
		r := analyse(t, s, tracegen.HostA, 3).only(t) // the third packet is missing
		want := HMACValid
		if forge {
			want = HMACInvalid
		}
		if got := r.c.Subflows[1].HMAC; got != want {
			t.Errorf("%s: verdict %v, want %v", name, got, want)
		}
		if r.bytes() != [2]int64{100, 0} {
			t.Errorf("%s: bytes %v", name, r.bytes())
		}
	}
}

func TestRefusedJoin(t *testing.T) {
	t.Run("by RST", func(t *testing.T) {
		s, f, at := opened(tracegen.Config{Version: 1})
		f2 := s.Subflow(path(1))
		f2.SYN(at)
		f2.RST(b2a, at+10*ms, &mptcp.TCPRST{Reason: mptcp.ResetProhibited})
		f.Data(a2b, at+30*ms, 0, 10)
		r := analyse(t, s, tracegen.HostA).only(t)
		sub := r.c.Subflows[1]
		assert.Check(t, sub.Refused() && sub.State == subflow.Refused && sub.ClosedBy == B && sub.CloseCause == "refused by RST: administratively prohibited", "%+v", sub)
		assert.Check(t, is.DeepEqual(r.log, []string{"join_refused s1 #5"}), "events")
		if r.c.State() != Open {
			t.Errorf("state %v, want open: the refused join has no say", r.c.State())
		}
	})
	t.Run("by a SYN/ACK without MP_JOIN", func(t *testing.T) {
		s, _, at := opened(tracegen.Config{Version: 1})
		f2 := s.Subflow(path(1))
		f2.SYN(at)
		f2.SYNACK(at + 10*ms).Edit(without(mptcp.SubJoin))
		f2.RST(a2b, at+20*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		if sub := r.c.Subflows[1]; !sub.Refused() || sub.HMAC != HMACUnchecked || sub.Established() {
			t.Errorf("%+v", sub)
		}
		assert.Check(t, is.DeepEqual(r.log, []string{"join_refused s1 #5", "rst s1 #6"}), "events")
	})
	t.Run("by the initiator", func(t *testing.T) {
		s, _, at := opened(tracegen.Config{Version: 1})
		f2 := s.Subflow(path(1))
		f2.SYN(at)
		f2.SYNACK(at + 10*ms).Edit(flipTrunc)
		f2.RST(a2b, at+20*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		if sub := r.c.Subflows[1]; !sub.Refused() || sub.HMAC != HMACInvalid {
			t.Errorf("%+v", sub)
		}
		assert.Check(t, is.DeepEqual(r.log, []string{"hmac_error s1 #5", "join_refused s1 #6"}), "events")
	})
	t.Run("not answered", func(t *testing.T) {
		s, f, at := opened(tracegen.Config{Version: 1})
		s.Subflow(path(1)).SYN(at)
		f.RST(a2b, at+100*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		if r.c.Subflows[1].Refused() || r.c.State() != WasReset {
			t.Errorf("state %v, want reset: the join was never part of it", r.c.State())
		}
	})
}

func TestPlainTCP(t *testing.T) {
	t.Run("no option", func(t *testing.T) {
		s, f, at := opened(tracegen.Config{Plain: true})
		f.Data(a2b, at, 0, 500)
		f.Ack(b2a, at+10*ms)
		r := analyse(t, s, tracegen.HostA).only(t)
		if c := r.c; c.Kind != Plain || c.AskedMPTCP || c.ID != -1 || len(r.log) != 0 || c.Subflows[0].Senders[A].Bytes != 500 || r.bytes() != [2]int64{} {
			t.Errorf("%+v, events %v", c, r.log)
		}
	})
	t.Run("SYN/ACK without MP_CAPABLE", func(t *testing.T) {
		for _, version := range []uint8{0, 1} {
			s := tracegen.NewSession(tracegen.Config{Version: version})
			f := s.Subflow(path(0))
			f.SYN(0)
			f.SYNACK(10 * ms).Edit(without(mptcp.SubCapable))
			f.ThirdACK(20 * ms).Edit(without(mptcp.SubCapable))
			f.Map(a2b, 0, 500).Bare().Send(30*ms, 0, 500)
			table, rec := feed(segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw))
			c := rec.only(t).c
			if c.Kind != Plain || !c.AskedMPTCP || c.Hosts != [2]Host{} || len(table.tokens) != 0 {
				t.Errorf("version %d: %+v, %d tokens", version, c, len(table.tokens))
			}
		}
	})
	t.Run("SYN without an answer", func(t *testing.T) {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		s.Subflow(path(0)).SYN(0)
		if c := analyse(t, s, tracegen.HostA).only(t).c; c.Kind != Requested || !c.AskedMPTCP || c.ID != -1 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("SYN/ACK whose options were cut off", func(t *testing.T) {
		s, f, at := opened(tracegen.Config{Version: 1})
		f.Data(a2b, at, 0, 500)
		segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
		segs[1].OtherLen, segs[1].Have = 0, segs[1].Have|packet.OptionsCut
		_, rec := feed(segs)
		if c := rec.only(t).c; c.Kind != Multipath || c.Handshake || c.Spaces[A].Bytes != 500 {
			t.Errorf("%+v: the third packet proves what the SYN/ACK does not show", c)
		}
	})
	t.Run("repeated SYN without the option", func(t *testing.T) { // what Linux does after some losses
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(path(0))
		syn := f.SYN(0)
		syn.Again(1000 * ms).Edit(without(mptcp.SubCapable))
		f.SYNACK(1010 * ms).Edit(without(mptcp.SubCapable))
		if c := analyse(t, s, tracegen.HostA).only(t).c; c.Kind != Plain || !c.AskedMPTCP || c.Subflows[0].Senders[A].SYNs != 2 {
			t.Errorf("%+v", c)
		}
	})
}

// MP_CAPABLE with data (version 1) is a mapping of the first data.
func TestCapableWithData(t *testing.T) {
	for _, sum := range []bool{false, true} {
		s, f, at := opened(tracegen.Config{Version: 1, Checksum: sum})
		m := f.Map(a2b, 0, 300).OnCapable()
		m.Send(at, 0, 300)
		m.Send(at+300*ms, 0, 300) // retransmitted
		f.Data(a2b, at+310*ms, 300, 200)
		r := analyse(t, s, tracegen.HostA).only(t)
		if r.bytes() != [2]int64{500, 0} {
			t.Errorf("checksum %v: bytes %v", sum, r.bytes())
		}
		first := r.mappings[0]
		if first.SSN != 1 || first.DSN != 1 || first.DSS.DSN != s.DSN(a2b, 0) || first.Length() != 300 || (first.Checksum() >= 0) != sum || first.ChecksumPending != sum {
			t.Errorf("checksum %v: mapping %+v", sum, first)
		}
		valid := 0
		for _, k := range r.checks {
			if k == dss.CheckValid {
				valid++
			}
		}
		if want := map[bool]int{false: 0, true: 2}[sum]; valid != want || len(r.checks) != want {
			t.Errorf("checksum %v: %v, want %d valid", sum, r.checks, want)
		}
	}
}

func TestRepeatedSYN(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	syn := f.SYN(0)
	syn.Again(1000 * ms)
	f.SYNACK(1010 * ms)
	f.ThirdACK(1020 * ms)
	r := analyse(t, s, tracegen.HostA).only(t)
	if c := r.c; c.Kind != Multipath || c.Subflows[0].Senders[A].SYNs != 2 || len(c.Subflows) != 1 {
		t.Errorf("%+v", c)
	}
}

// A SYN with another initial sequence number on a known 4-tuple begins another connection, whether the
// old one was seen to end or not. One with the same number does so after the end of an established
// connection: a host that has completed the handshake never repeats its SYN (RFC 9293, Section 3.10.7.3).
func TestPortReuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		end   func(old *tracegen.Session, f *tracegen.Subflow)
		isn   seq.Wire // by how much it differs
		state State
		cause string
	}{
		{"open", func(*tracegen.Session, *tracegen.Subflow) {}, 1 << 20, Open, "port reused by a new connection"},
		{"closed", func(old *tracegen.Session, _ *tracegen.Subflow) { old.Close(100*ms, 100, 0) }, 1 << 20, Closed, "FIN"},
		{"reset", func(_ *tracegen.Session, f *tracegen.Subflow) { f.RST(a2b, 100*ms) }, 0, WasReset, "RST"},
	} {
		n := tracegen.NewNetwork(tracegen.Start)
		old := n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{1, 2}, AckEvery: 1})
		f := old.Subflow(path(0))
		h := f.Open(0)
		f.Data(a2b, h.Established(), 0, 100)
		c.end(old, f)
		again := n.Session(tracegen.Config{Version: 1, Keys: [2]uint64{3, 4}})
		p := path(0)
		p.ISN[a2b] += c.isn
		g := again.Subflow(p)
		h = g.Open(300 * ms)
		g.Data(a2b, h.Established(), 0, 200)
		r := analyse(t, old, tracegen.HostA)
		assert.Assert(t, len(r.conns) == 2, "%s: %d connections, want 2", c.name, len(r.conns))
		first, second := r.conns[0], r.conns[1]
		if first.bytes() != [2]int64{100, 0} || second.bytes() != [2]int64{200, 0} || second.c.ID != 1 {
			t.Errorf("%s: bytes %v and %v", c.name, first.bytes(), second.bytes())
		}
		if first.c.State() != c.state || first.c.Subflows[0].CloseCause != c.cause {
			t.Errorf("%s: state %v, cause %q", c.name, first.c.State(), first.c.Subflows[0].CloseCause)
		}
	}
}

// A SYN that is repeated during the handshake begins no other connection, even if a RST
// refused the first.
func TestRefusedSYNRepeated(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Plain: true})
	f := s.Subflow(path(0))
	f.SYN(0)
	f.RST(b2a, 10*ms)
	f.SYN(1000 * ms)
	if r := analyse(t, s, tracegen.HostA); len(r.conns) != 1 {
		t.Errorf("%d connections, want 1", len(r.conns))
	}
}

// Two SYNs that cross are one connection (RFC 9293, Section 3.5).
func TestSimultaneousOpen(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Plain: true})
	f := s.Subflow(path(0))
	f.SYN(0)
	f.SYNACK(5 * ms).Edit(func(p *tracegen.Packet) { p.Flags, p.Ack = tracegen.SYN, 0 })
	f.SYNACK(15 * ms)
	r := analyse(t, s, tracegen.HostA).only(t)
	if c := r.c; len(c.Subflows) != 1 || c.Subflows[0].Senders[B].SYNs != 2 || c.Subflows[0].Initiator != A {
		t.Errorf("%+v", c.Subflows[0])
	}
}
