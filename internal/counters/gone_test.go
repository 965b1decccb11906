package counters_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/counters"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// twoPaths returns a session whose first subflow is open, and a second subflow that is not.
func twoPaths() (s *tracegen.Session, first, second *tracegen.Subflow) {
	s = tracegen.NewSession(tracegen.Config{Version: 1})
	first = s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	second = s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.2.1:40001"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	first.Open(0)
	first.Data(tracegen.A2B, 100*msec, 0, 1000)
	return s, first, second
}

// seen returns the counters that are not zero of one host, as the capture there shows them.
func seen(t *testing.T, s *tracegen.Session, h counters.Host) map[string]int64 {
	t.Helper()
	c := counters.NewCollector(h)
	view := tracegen.HostA
	if h == server {
		view = tracegen.HostB
	}
	conntest.Play(t, s, view, c)
	known, _ := split(t, c)
	out := map[string]int64{}
	for name, n := range nonzero(known) {
		out[name[len(counters.Prefix):]] = n
	}
	return out
}

// wantCounts compares some counters; the others are not looked at.
func wantCounts(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	part := map[string]int64{}
	for name := range want {
		part[name] = got[name]
	}
	if diff := cmp.Diff(want, part); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", what, diff)
	}
}

// TestFastcloseAfterReset: B aborts the connection. A takes that from the second subflow and resets
// the first one; so what B sends on the first one comes to no socket. Nor has B a socket for what A
// sends after the abort.
func TestFastcloseAfterReset(t *testing.T) {
	s, first, second := twoPaths()
	second.Open(200 * msec)
	second.Data(tracegen.B2A, 300*msec, 0, 1000)
	why := &mptcp.TCPRST{}
	fast := &mptcp.Fastclose{ReceiverKey: s.Key(tracegen.A2B)}
	second.RST(tracegen.B2A, 500*msec, fast, why)
	first.RST(tracegen.A2B, 515*msec, why)
	first.RST(tracegen.B2A, 520*msec, fast, why)
	wantCounts(t, "client", seen(t, s, client), map[string]int64{"MPFastcloseRx": 1, "MPRstRx": 1, "MPRstTx": 1, "MPFastcloseTx": 0})
	wantCounts(t, "server", seen(t, s, server), map[string]int64{"MPFastcloseTx": 2, "MPRstTx": 2, "MPRstRx": 0, "MPFastcloseRx": 0})
}

// TestFastcloseTwice: both copies of an abort come before the receiver has closed anything.
func TestFastcloseTwice(t *testing.T) {
	s, first, second := twoPaths()
	second.Open(200 * msec)
	second.Data(tracegen.B2A, 300*msec, 0, 1000)
	fast := &mptcp.Fastclose{ReceiverKey: s.Key(tracegen.A2B)}
	second.RST(tracegen.B2A, 500*msec, fast)
	first.RST(tracegen.B2A, 500*msec+10*time.Microsecond, fast)
	wantCounts(t, "client", seen(t, s, client), map[string]int64{"MPFastcloseRx": 2})
}

// TestJoinNotTaken: the initiator answers the SYN/ACK of a join with a RST. It counts no SYN/ACK, and
// a RST only if a socket sends it: then ACK is set.
func TestJoinNotTaken(t *testing.T) {
	for _, socket := range []bool{true, false} {
		s, _, second := twoPaths()
		second.SYN(200 * msec)
		second.SYNACK(210 * msec)
		rst := second.RST(tracegen.A2B, 220*msec, &mptcp.TCPRST{Reason: 1})
		want := map[string]int64{"MPJoinSynTx": 1, "MPJoinSynAckRx": 0, "MPRstTx": 1}
		if !socket {
			rst.Edit(func(p *tracegen.Packet) { p.Flags &^= tracegen.ACK })
			want["MPRstTx"] = 0
		}
		wantCounts(t, "client", seen(t, s, client), want)
	}
}

// TestFastcloseLater: whether the receiver has closed the other subflow when the abort comes there,
// too, is not known.
func TestFastcloseLater(t *testing.T) {
	s, first, second := twoPaths()
	second.Open(200 * msec)
	second.Data(tracegen.B2A, 300*msec, 0, 1000)
	fast := &mptcp.Fastclose{ReceiverKey: s.Key(tracegen.A2B)}
	second.RST(tracegen.B2A, 500*msec, fast)
	first.RST(tracegen.B2A, 510*msec, fast)
	c := counters.NewCollector(client)
	conntest.Play(t, s, tracegen.HostA, c)
	known, absent := split(t, c)
	for _, name := range []string{"MPFastcloseRx", "MPRstRx"} {
		if n, ok := known[counters.Prefix+name]; ok || absent[counters.Prefix+name] == "" {
			t.Errorf("%s is %d, known: %v", name, n, ok)
		}
	}
	wantCounts(t, "server", seen(t, s, server), map[string]int64{"MPFastcloseTx": 2})
}

// TestJoinSYNAgain: the SYN/ACK comes by an interface to which the socket does not listen, so the
// host resets it, and the socket sends its SYN again. Linux counts one SYN there, and two at the
// peer.
func TestJoinSYNAgain(t *testing.T) {
	s, _, second := twoPaths()
	syn := second.SYN(200 * msec)
	second.SYNACK(210 * msec)
	second.RST(tracegen.A2B, 220*msec).Edit(func(p *tracegen.Packet) { p.Flags &^= tracegen.ACK })
	syn.Again(5200 * msec)
	second.SYNACK(5210 * msec)
	wantCounts(t, "client", seen(t, s, client), map[string]int64{"MPJoinSynTx": 1})
	wantCounts(t, "server", seen(t, s, server), map[string]int64{"MPJoinSynRx": 2})
}
