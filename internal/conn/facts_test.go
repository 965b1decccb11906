package conn

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// of returns the facts of the events of a kind.
func (r *record) of(kind EventKind) (out []Facts) {
	for i := range r.log {
		if strings.HasPrefix(r.log[i], string(kind)+" ") {
			out = append(out, r.facts[i])
		}
	}
	return out
}

func wantFacts(t *testing.T, r *record, kind EventKind, want ...Facts) {
	t.Helper()
	assert.Check(t, is.DeepEqual(r.of(kind), want, cmpopts.EquateComparable(netip.Addr{})), "%s", kind)
}

// TestFacts: events have the fields of options as values.
func TestFacts(t *testing.T) {
	addr := netip.MustParseAddr("10.9.0.1")
	var removed mptcp.RemoveAddr
	removed.N = uint8(copy(removed.List[:], []uint8{4, 5}))
	s, f, at := opened(tracegen.Config{Version: 1, NoTimestamps: true})
	g, at := joined(s, 1, at)
	forged := s.AddAddr(a2b, mptcp.AddAddr{AddressID: 6, Addr: addr})
	forged.HMAC ^= 1
	for i, o := range []tracegen.Option{
		s.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr, HasPort: true, Port: 99}),
		forged,
		s.AddAddr(a2b, mptcp.AddAddr{AddressID: 7, Addr: addr, Echo: true}),
		&removed, &mptcp.Prio{Backup: true}, &mptcp.Prio{HasAddressID: true, AddressID: 3, Backup: true},
	} {
		f.Signal(a2b, at+time.Duration(i)*5*ms, o)
	}
	g.RST(b2a, at+200*ms, &mptcp.TCPRST{Flags: mptcp.ResetTransient, Reason: mptcp.ResetPerformance})
	r := analyse(t, s, tracegen.HostA).only(t)
	wantFacts(t, r, EventJoin, Facts{AddressID: optionalByte(1), Authentic: HMACValid, Backup: No})
	wantFacts(t, r, EventAddAddr,
		Facts{Address: addr, Port: 99, AddressID: optionalByte(4), Authentic: HMACValid, Echo: No},
		Facts{Address: addr, AddressID: optionalByte(6), Authentic: HMACInvalid, Echo: No, Effective: No})
	wantFacts(t, r, EventAddAddrEcho, Facts{Address: addr, AddressID: optionalByte(7), Echo: Yes})
	wantFacts(t, r, EventRemoveAddr, Facts{AddressID: optionalByte(4)}, Facts{AddressID: optionalByte(5)})
	wantFacts(t, r, EventPrio, Facts{Backup: Yes})
	wantFacts(t, r, EventMalformed, Facts{AddressID: optionalByte(3), Backup: Yes, Effective: No})
	wantFacts(t, r, EventReset, Facts{Reason: optionalByte(5), Transient: Yes, Effective: Yes})
	assert.Check(t, is.DeepEqual(r.c.Subflows[1].Resets(B), []ResetCount{{mptcp.ResetPerformance, true, 1}}), "counts of MP_TCPRST")
}

// TestPrioOfVersion0: in version 0, MP_PRIO may have an address id (RFC 6824, Section
// 3.3.8).
func TestPrioOfVersion0(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 0})
	f.Signal(a2b, at, &mptcp.Prio{HasAddressID: true, AddressID: 3, Backup: true})
	wantFacts(t, analyse(t, s, tracegen.HostA).only(t), EventPrio, Facts{AddressID: optionalByte(3), Backup: Yes})
}

// TestBackupBy: the flags of SYN and SYN/ACK mean different directions.
func TestBackupBy(t *testing.T) {
	for _, who := range [2]Side{A, B} {
		s, _, at := opened(tracegen.Config{Version: 1})
		p := path(1)
		f := s.Subflow(p)
		edit := func(from Side) func(*tracegen.Packet) {
			return func(x *tracegen.Packet) {
				eachOption(x.Options, func(_, _ int, opt []byte) {
					if opt[0] == mptcp.Kind && from == who {
						opt[2] |= 1
					}
				})
			}
		}
		f.SYN(at).Edit(edit(A))
		f.SYNACK(at + 10*ms).Edit(edit(B))
		f.ThirdACK(at + 20*ms)
		sub := analyse(t, s, tracegen.HostA).only(t).c.Subflows[1]
		want := [2]Tristate{No, No}
		want[who] = Yes
		assert.Check(t, sub.BackupBy == want && sub.Backup, "flag B of %v: %v, backup %v", who, sub.BackupBy, sub.Backup)
	}
}

// TestResetsOfBothEnds: each end's RST is an event. No RST with an option is left out
// because another one came before it.
func TestResetsOfBothEnds(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	_, at = joined(s, 1, at)
	why := &mptcp.TCPRST{Reason: mptcp.ResetProhibited}
	f.RST(b2a, at, why)
	f.RST(b2a, at+1*ms) // in bursts
	f.RST(b2a, at+2*ms, why)
	f.RST(a2b, at+30*ms, &mptcp.TCPRST{})
	f.RST(a2b, at+31*ms)
	r := analyse(t, s, tracegen.HostA).only(t)
	wantFacts(t, r, EventReset,
		Facts{Reason: optionalByte(3), Transient: No, Effective: Yes}, Facts{Reason: optionalByte(3), Transient: No}, Facts{Reason: optionalByte(0), Transient: No})
	assert.Check(t, is.DeepEqual(r.c.Subflows[0].Resets(B), []ResetCount{{mptcp.ResetProhibited, false, 2}}), "counts of MP_TCPRST")
	if sub := r.c.Subflows[0]; sub.ClosedBy != B || sub.CloseCause != "RST: administratively prohibited" {
		t.Errorf("closed by %v: %s", sub.ClosedBy, sub.CloseCause)
	}
}

// shift moves the sequence number of a packet.
func shift(by int64) func(*tracegen.Packet) {
	return func(p *tracegen.Packet) { p.Seq += seq.Wire(by) }
}

// TestResetWithoutEffect: a RST whose number is not RCV.NXT ends nothing (RFC 5961, Section
// 3.2), in the window or outside; a correct one that follows does.
func TestResetWithoutEffect(t *testing.T) {
	for _, by := range []int64{-900, 2000, 1 << 31} {
		for _, then := range []bool{false, true} {
			s, f, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
			f.Data(a2b, at, 0, 1000)
			f.RST(a2b, at+50*ms, &mptcp.TCPRST{}).Edit(shift(by))
			f.Data(a2b, at+60*ms, 1000, 1000)
			want, state := []Facts{{Reason: optionalByte(0), Transient: No, Effective: No}}, Open
			if then {
				f.RST(a2b, at+150*ms)
				want, state = append(want, Facts{Effective: Yes}), WasReset
			}
			r := analyse(t, s, tracegen.HostA).only(t)
			wantFacts(t, r, EventReset, want...)
			if sub := r.c.Subflows[0]; r.c.State() != state || sub.HasCloser != then || r.c.Spaces[A].Bytes != 2000 {
				t.Errorf("shifted by %d: state %v, closed: %v, %d bytes", by, r.c.State(), sub.HasCloser, r.c.Spaces[A].Bytes)
			}
		}
	}
}

// TestFastcloseWithoutEffect: outside the window, below the handshake or with a
// wrong key MP_FASTCLOSE closes nothing.
func TestFastcloseWithoutEffect(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*tracegen.Packet)
		want Tristate
	}{
		"in order":          {func(*tracegen.Packet) {}, Yes},
		"acknowledged":      {shift(-900), No},
		"beyond the window": {shift(1 << 30), No},
		"ACK below the SYN": {func(p *tracegen.Packet) { p.Ack-- }, No},
		"a key of nobody":   {flip(mptcp.SubFastclose), No},
		"far away":          {shift(1 << 31), No},
	} {
		s, f, at := opened(tracegen.Config{Version: 1, AckEvery: 1})
		f.Data(a2b, at, 0, 1000)
		key := &mptcp.Fastclose{ReceiverKey: s.Key(tracegen.B2A)}
		f.Signal(a2b, at+50*ms, key).Edit(tt.edit)
		r := analyse(t, s, tracegen.HostA).only(t)
		wantFacts(t, r, EventFastclose, Facts{Effective: tt.want})
		if got := r.c.State() == Fastclosed; got != (tt.want == Yes) {
			t.Errorf("%s: state %v", name, r.c.State())
		}
	}
}
