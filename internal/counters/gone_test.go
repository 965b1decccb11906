package counters_test

import (
	"net/netip"
	"testing"
	"time"

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

// seen returns the counters that are not zero of one host, as the capture there shows them; -1 for those that
// it does not show.
func seen(t *testing.T, s *tracegen.Session, h counters.Host) map[string]int64 {
	t.Helper()
	c := counters.NewCollector(h)
	view := tracegen.HostA
	if h == server {
		view = tracegen.HostB
	}
	conntest.Play(t, s, view, c)
	known, absent := split(t, c)
	out := map[string]int64{}
	for name := range absent {
		out[name[len(counters.Prefix):]] = -1
	}
	for name, n := range nonzero(known) {
		out[name[len(counters.Prefix):]] = n
	}
	return out
}

// TestGone: what both hosts count of a connection that is aborted, and of a join that is not taken.
func TestGone(t *testing.T) {
	up := func(second *tracegen.Subflow) {
		second.Open(200 * msec)
		second.Data(tracegen.B2A, 300*msec, 0, 1000)
	}
	withoutACK := func(p *tracegen.Packet) { p.Flags &^= tracegen.ACK }
	for _, c := range []struct {
		name           string
		play           func(first, second *tracegen.Subflow, fast *mptcp.Fastclose)
		client, server map[string]int64 // -1 for a count that the capture cannot tell
	}{
		// A takes the abort from the second subflow and resets the first one; so what B sends on the first one
		// comes to no socket. Nor has B a socket for what A sends after the abort.
		{"an abort after a reset", func(first, second *tracegen.Subflow, fast *mptcp.Fastclose) {
			up(second)
			second.RST(tracegen.B2A, 500*msec, fast, &mptcp.TCPRST{})
			first.RST(tracegen.A2B, 515*msec, &mptcp.TCPRST{})
			first.RST(tracegen.B2A, 520*msec, fast, &mptcp.TCPRST{})
		}, map[string]int64{"MPFastcloseRx": 1, "MPRstRx": 1, "MPRstTx": 1, "MPFastcloseTx": 0}, map[string]int64{"MPFastcloseTx": 2, "MPRstTx": 2, "MPRstRx": 0, "MPFastcloseRx": 0}},
		// Both copies of the abort come before the receiver has closed anything.
		{"an abort twice at once", func(first, second *tracegen.Subflow, fast *mptcp.Fastclose) {
			up(second)
			second.RST(tracegen.B2A, 500*msec, fast)
			first.RST(tracegen.B2A, 500*msec+10*time.Microsecond, fast)
		}, map[string]int64{"MPFastcloseRx": 2}, nil},
		// Whether the receiver has closed the other subflow when the abort comes there, too, is not known.
		{"an abort twice", func(first, second *tracegen.Subflow, fast *mptcp.Fastclose) {
			up(second)
			second.RST(tracegen.B2A, 500*msec, fast)
			first.RST(tracegen.B2A, 510*msec, fast)
		}, map[string]int64{"MPFastcloseRx": -1, "MPRstRx": -1}, map[string]int64{"MPFastcloseTx": 2}},
		// The initiator answers the SYN/ACK of a join with a RST. It counts no SYN/ACK, and a RST only if a
		// socket sends it: then ACK is set.
		{"a join that its socket resets", func(_, second *tracegen.Subflow, _ *mptcp.Fastclose) {
			second.SYN(200 * msec)
			second.SYNACK(210 * msec)
			second.RST(tracegen.A2B, 220*msec, &mptcp.TCPRST{Reason: 1})
		}, map[string]int64{"MPJoinSynTx": 1, "MPJoinSynAckRx": 0, "MPRstTx": 1}, nil},
		{"a join that its host resets", func(_, second *tracegen.Subflow, _ *mptcp.Fastclose) {
			second.SYN(200 * msec)
			second.SYNACK(210 * msec)
			second.RST(tracegen.A2B, 220*msec, &mptcp.TCPRST{Reason: 1}).Edit(withoutACK)
		}, map[string]int64{"MPJoinSynTx": 1, "MPJoinSynAckRx": 0, "MPRstTx": 0}, nil},
		// The SYN/ACK comes by an interface to which the socket does not listen, so the host resets it, and
		// the socket sends its SYN again. Linux counts one SYN there, and two at the peer.
		{"a join again", func(_, second *tracegen.Subflow, _ *mptcp.Fastclose) {
			syn := second.SYN(200 * msec)
			second.SYNACK(210 * msec)
			second.RST(tracegen.A2B, 220*msec).Edit(withoutACK)
			syn.Again(5200 * msec)
			second.SYNACK(5210 * msec)
		}, map[string]int64{"MPJoinSynTx": 1}, map[string]int64{"MPJoinSynRx": 2}},
	} {
		s, first, second := twoPaths()
		c.play(first, second, &mptcp.Fastclose{ReceiverKey: s.Key(tracegen.A2B)})
		for h, want := range map[counters.Host]map[string]int64{client: c.client, server: c.server} {
			got := seen(t, s, h)
			for name, n := range want {
				if got[name] != n {
					t.Errorf("%s, host %s: %s is %d, want %d", c.name, h.Side, name, got[name], n)
				}
			}
		}
	}
}
