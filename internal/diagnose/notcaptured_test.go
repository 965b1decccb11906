package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// unseenSYNACK begins a session whose first SYN/ACK is not in the capture of B. Its second path is
// open, too.
func unseenSYNACK(window uint32) (s *tracegen.Session, first, second *tracegen.Subflow) {
	s = tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
	p := path(0, 10*ms)
	p.Window = window
	first = s.Subflow(p)
	h := first.Open(0)
	h.SYNACK.Unseen()
	second = s.Subflow(path(1, 10*ms))
	second.Open(50 * ms)
	return s, first, second
}

// steadyOfB sends n segments of 1000 bytes from B to A, one each 10 ms.
func steadyOfB(f *tracegen.Subflow, at time.Duration, offset int64, n int) {
	for i := range n {
		f.Data(tracegen.B2A, at+time.Duration(i)*10*ms, offset+int64(i)*1000, 1000)
	}
}

// TestPlainWithoutSYNACK: the SYN with MP_CAPABLE was answered, for B sends data. The capture lacks
// the answer, and so does not show why the connection is plain TCP.
func TestPlainWithoutSYNACK(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(0, 10*ms))
	h := f.Open(0)
	h.SYNACK.Unseen()
	h.ACK.Edit(erase)
	for i := range 50 {
		at := 100*ms + time.Duration(i)*30*ms
		f.Data(tracegen.B2A, at, int64(i)*1000, 1000).Edit(erase)
		f.Ack(tracegen.A2B, at+10*ms).Edit(erase)
	}
	if d := see(t, s, tracegen.HostB); len(d.TCP) != 1 || len(d.TCP[0].Verdicts) != 0 {
		t.Errorf("%d connections of plain TCP, verdicts %v", len(d.TCP), d.TCP)
	}
}

// TestWindowOfUnknownScale: windows of 4 KiB are full, and the capture lacks the SYN/ACK: without its
// window scale they look full of 32 bytes. Whether a window limits is not known, nor whether it is
// what leaves a path idle, or that two paths aggregate.
func TestWindowOfUnknownScale(t *testing.T) {
	s, first, _ := unseenSYNACK(4096)
	for i := range 60 {
		for k := range 4 {
			first.Data(tracegen.B2A, 200*ms+time.Duration(i)*50*ms, int64(i)*4096+int64(k)*1024, 1024)
		}
	}
	d := see(t, s, tracegen.HostB)
	without(t, "a full window", d, report.VerdictWindowClosed, report.VerdictSenderLimited)
	if x := d.Connections[0].B2A; x.RwndBytes != nil || x.TimeAccount != nil {
		t.Errorf("windows of %v, account %v", x.RwndBytes, x.TimeAccount)
	}
	s, first, _ = unseenSYNACK(0)
	steadyOfB(first, 200*ms, 0, 400)
	if v := find(t, see(t, s, tracegen.HostB), report.VerdictPathUnused); v.Severity != report.Minor || !strings.Contains(v.Text, "not known") {
		t.Errorf("%s: %s", v.Severity, v.Text)
	}
	s, first, second := unseenSYNACK(0)
	steadyOfB(first, 200*ms, 0, 100)
	steadyOfB(second, 202*ms, 100_000, 100)
	without(t, "several paths", see(t, s, tracegen.HostB), report.VerdictAggregates)
}

// TestWithdrawnWithoutSYN: a withdraws the address of subflow 1, whose SYN, with its address id, is not in
// the capture. No other subflow has that id, so that the path probably did not die.
func TestWithdrawnWithoutSYN(t *testing.T) {
	s, first := begin()
	steady(first, 100*ms, 3000, 600)
	f := s.Subflow(path(1, 10*ms))
	h := f.Open(500 * ms)
	h.SYN.Unseen()
	f.Data(tracegen.A2B, 800*ms, 0, 1000)
	f.Data(tracegen.A2B, 820*ms, 1000, 1000)
	first.Signal(tracegen.A2B, 2300*ms, removal(1))
	f.RST(tracegen.A2B, 2301*ms, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
	d := see(t, s, tracegen.HostA)
	without(t, "withdrawn", d, report.VerdictPathDied)
	if v := find(t, d, report.VerdictPathRemoved); v.Certainty != report.Likely || v.Subflow == nil || *v.Subflow != 1 {
		t.Errorf("%s, subflow %v: %s", v.Certainty, v.Subflow, v.Text)
	}
}
