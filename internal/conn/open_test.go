package conn

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

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
					{Key: 8, HasKey: true, Echoed: true, Token: mptcp.Token(version, 8), HasToken: true, Checksum: true},
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

// The HMAC of a join is verified as soon as both keys are known.
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
		// A responder with SYN cookies draws a nonce for each SYN/ACK.
		{"another nonce first", func(h *tracegen.Handshake) { h.SYNACK.Again(h.SYNACK.SentAt() - ms).Edit(anotherNonce) }, nil, HMACValid, nil},
		{"another nonce last", func(h *tracegen.Handshake) {
			h.SYNACK.Again(h.SYNACK.SentAt() - ms)
			h.SYNACK.Edit(anotherNonce)
		}, nil, HMACValid, nil},
		{"the third packet fits neither nonce", func(h *tracegen.Handshake) {
			h.SYNACK.Again(h.SYNACK.SentAt() - ms).Edit(anotherNonce)
			h.ACK.Edit(flip(mptcp.SubJoin))
		}, nil, HMACInvalid, []string{"hmac_error s1 #7"}},
		{"third packet not captured", func(*tracegen.Handshake) {}, []int{6}, HMACValid, nil},
		{"SYN/ACK not captured", func(*tracegen.Handshake) {}, []int{5}, HMACUnchecked, nil},
		{"key of A not captured", func(*tracegen.Handshake) {}, []int{3}, HMACUnchecked, nil},
		{"key of A with its data", func(*tracegen.Handshake) {}, []int{3}, HMACValid, nil},
		{"key of A with its data, forged", func(h *tracegen.Handshake) { h.ACK.Edit(flip(mptcp.SubJoin)) }, []int{3}, HMACInvalid, []string{"hmac_error s1 #8"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, first, at := opened(tracegen.Config{Version: 1, Keys: [2]uint64{7, 8}})
			f := s.Subflow(path(1))
			h := f.Open(at)
			if tt.script(&h); strings.Contains(tt.name, "with its data") { // in version 1 the key may come that late
				first.Map(a2b, 0, 100).OnCapable().Send(h.Established(), 0, 100)
			}
			r := analyse(t, s, tracegen.HostA, tt.leftOut...).only(t)
			if got := r.c.Subflows[1].HMAC; got != tt.want {
				t.Errorf("verdict %v, want %v", got, tt.want)
			}
			assert.Check(t, is.DeepEqual(r.has(EventHMAC), tt.errors), "events")
		})
	}
}

// anotherNonce gives the SYN/ACK of the join over path 1 the nonce 99, and its HMAC, with the keys 7 and 8.
func anotherNonce(p *tracegen.Packet) {
	mac := mptcp.JoinHMAC(1, 8, 7, 99, path(1).Nonce[0])
	eachOption(p.Options, func(_, _ int, opt []byte) {
		if opt[0] == mptcp.Kind {
			binary.BigEndian.PutUint64(opt[4:], mac.Left64())
			binary.BigEndian.PutUint32(opt[12:], 99)
		}
	})
}

// TestEchoedKey: a server with SYN cookies draws a key for each SYN/ACK; the one counts that the third packet has.
func TestEchoedKey(t *testing.T) {
	for name, another := range map[string]bool{"the first": true, "the last": false} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, Keys: [2]uint64{7, 8}})
		f := s.Subflow(path(0))
		h := f.Open(0)
		again := h.SYNACK.Again(h.SYNACK.SentAt() - ms)
		if another {
			again = h.SYNACK
		}
		again.Edit(flip(mptcp.SubCapable))
		second, at := joined(s, 1, h.Established())
		f.Data(b2a, at, 0, 100)
		second.Data(b2a, at, 100, 100)
		r := analyse(t, s, tracegen.HostA).only(t)
		assert.Check(t, r.c.Hosts[B].Key == 8 && r.c.Hosts[B].Token == mptcp.Token(1, 8) && r.bytes() == [2]int64{0, 200} && len(r.c.Subflows) == 2,
			"%s: %+v, %v bytes on %d subflows", name, r.c.Hosts[B], r.bytes(), len(r.c.Subflows))
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

// TestRefusedJoin: a join that was refused, by either end, is told once, and has no say in the state of its
// connection. Nor has one without an answer.
func TestRefusedJoin(t *testing.T) {
	for name, tt := range map[string]struct {
		play    func(first, f *tracegen.Subflow, at time.Duration)
		refused bool
		hmac    HMAC
		log     []string
		state   State
	}{
		"by RST": {func(_, f *tracegen.Subflow, at time.Duration) {
			f.RST(b2a, at+10*ms, &mptcp.TCPRST{Reason: mptcp.ResetProhibited})
		}, true, HMACUnchecked, []string{"join_refused s1 #5"}, Open},
		"by a SYN/ACK without MP_JOIN": {func(_, f *tracegen.Subflow, at time.Duration) {
			f.SYNACK(at + 10*ms).Edit(without(mptcp.SubJoin))
			f.RST(a2b, at+20*ms)
		}, true, HMACUnchecked, []string{"join_refused s1 #5", "rst s1 #6"}, Open},
		"by the initiator": {func(_, f *tracegen.Subflow, at time.Duration) {
			f.SYNACK(at + 10*ms).Edit(flipTrunc)
			f.RST(a2b, at+20*ms)
		}, true, HMACInvalid, []string{"hmac_error s1 #5", "join_refused s1 #6"}, Open},
		"not answered": {func(first, _ *tracegen.Subflow, at time.Duration) {
			first.RST(a2b, at+100*ms)
		}, false, HMACUnchecked, []string{"rst s0 #5"}, WasReset},
	} {
		s, first, at := opened(tracegen.Config{Version: 1})
		f := s.Subflow(path(1))
		f.SYN(at)
		tt.play(first, f, at)
		r := analyse(t, s, tracegen.HostA).only(t)
		if sub := r.c.Subflows[1]; sub.Refused() != tt.refused || sub.HMAC != tt.hmac || sub.Established() || r.c.State() != tt.state {
			t.Errorf("%s: state %v, %+v", name, r.c.State(), sub)
		} else if name == "by RST" && (sub.State != subflow.Refused || sub.ClosedBy != B || sub.CloseCause != "refused by RST: administratively prohibited") {
			t.Errorf("%s: %v, by %v: %s", name, sub.State, sub.ClosedBy, sub.CloseCause)
		}
		assert.Check(t, is.DeepEqual(r.log, tt.log), "%s: events", name)
	}
}

// TestWithoutMPTCP: connections of plain TCP, and those of which it is not known whether they are.
func TestWithoutMPTCP(t *testing.T) {
	strip := without(mptcp.SubCapable)
	for name, tt := range map[string]struct {
		play  func(f *tracegen.Subflow)
		plain bool
		kind  Kind
		syns  int64
	}{
		"no option": {func(f *tracegen.Subflow) {
			f.Open(0)
			f.Data(a2b, 50*ms, 0, 500)
		}, true, Plain, 1},
		"SYN/ACK without MP_CAPABLE": {func(f *tracegen.Subflow) {
			f.SYN(0)
			f.SYNACK(10 * ms).Edit(strip)
			f.ThirdACK(20 * ms).Edit(strip)
			f.Map(a2b, 0, 500).Bare().Send(50*ms, 0, 500)
		}, false, Plain, 1},
		"repeated SYN without the option": {func(f *tracegen.Subflow) { // what Linux does after some losses
			f.SYN(0).Again(1000 * ms).Edit(strip)
			f.SYNACK(1010 * ms).Edit(strip)
		}, false, Plain, 2},
		"SYN without an answer": {func(f *tracegen.Subflow) { f.SYN(0) }, false, Requested, 1},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, Plain: tt.plain})
		tt.play(s.Subflow(path(0)))
		table, rec := feed(segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw))
		table.Finish()
		r := rec.only(t)
		c := r.c
		if c.Kind != tt.kind || c.AskedMPTCP == tt.plain || c.ID != -1 || len(r.log) != 0 || c.Subflows[0].Senders[A].SYNs != tt.syns || r.bytes() != [2]int64{} || c.Hosts != [2]Host{} || len(table.tokens) != 0 {
			t.Errorf("%s: %+v, events %v, %d tokens", name, c, r.log, len(table.tokens))
		}
	}
}

// The third packet proves what a SYN/ACK whose options were cut off does not show.
func TestSYNACKCut(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Data(a2b, at, 0, 500)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	segs[1].OtherLen, segs[1].Have = 0, segs[1].Have|packet.OptionsCut
	_, rec := feed(segs)
	c := rec.only(t).c
	assert.Check(t, c.Kind == Multipath && !c.Handshake && c.Spaces[A].Bytes == 500, "%+v", c)
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
