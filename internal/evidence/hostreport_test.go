package evidence

import (
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// TestHostReport: each record of a host goes into the field of that meaning; of two states of a device the report
// has the difference, and the backlog of the later one.
func TestHostReport(t *testing.T) {
	file := &hosts.File{Name: "ss.txt", Kind: hosts.SS, Part: "ss -tin", Samples: 3, Rows: 9, RowsUnused: 4, UnknownFields: 5, First: 6e9, Last: 7e9, Status: hosts.Partly, Reason: "cut"}
	counters := func(n int64) *hosts.Snapshot {
		return &hosts.Snapshot{Zeros: true, Values: map[string]hosts.Counter{"MPTcpExtMPJoinRx": {Value: n}}}
	}
	h := &host{Host: &hosts.Host{
		From: []string{"folder"}, Files: []*hosts.File{file}, Kernel: "6.18", Tools: "iproute2-6.1", Limits: &hosts.LimitsRecord{Subflows: 2, Accepted: 3},
		Endpoints: &hosts.EndpointList{List: []hosts.Endpoint{{Addr: netip.MustParseAddr("10.0.0.1"), Port: 81, ID: 4, Flags: []string{"signal"}, Dev: "p1"}}},
		Settings:  []hosts.Setting{{Name: "net.mptcp.enabled", Value: "1"}}, Counters: hosts.Counters{Before: counters(5), After: counters(8)},
		Interfaces: []*hosts.Interface{{
			Dev: "p1", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.1")},
			Before:      &hosts.LinkState{Received: 10, Sent: 20, RxDropped: 30, TxDropped: 40},
			After:       &hosts.LinkState{Up: true, HasCounters: true, Received: 11, Sent: 22, RxDropped: 33, TxDropped: 44},
			QueueBefore: &hosts.QueueState{Dropped: 50, Overlimits: 60, Backlog: 70}, QueueAfter: &hosts.QueueState{Qdisc: "fq", Dropped: 55, Overlimits: 66, Backlog: 77},
		}},
	}, clock: report.RecordClock{Method: report.ClockCounters, OffsetMS: new(1.5), UncertaintyMS: new(0.5), Rows: 2}, sides: [2]int64{0, 1}}
	want := report.HostRecords{
		Host: new(report.SideB), From: []string{"folder"}, Kernel: new("6.18"), IPRoute: new("iproute2-6.1"),
		Files: []report.RecordFile{{
			File: "ss.txt", Kind: new("ss"), Part: new("ss -tin"), Samples: 3, Rows: 9, RowsUnused: 4, UnknownFields: 5,
			First: new(report.Time(6e9)), Last: new(report.Time(7e9)), Status: report.RecordPartly, Reason: new("cut"),
		}},
		Clock: h.clock, Limits: &report.RecordLimits{Subflows: 2, AddAddrAccepted: 3},
		Endpoints: &report.List[report.RecordEndpoint]{{Address: "10.0.0.1", Port: new(81), ID: 4, Flags: []string{"signal"}, Dev: new("p1")}},
		Sysctl:    report.Reasons{{Metric: "net.mptcp.enabled", Why: "1"}}, Counters: &report.Counts{"MPTcpExtMPJoinRx": 8 - 5},
		Interfaces: []report.RecordInterface{{
			Dev: "p1", Addresses: []string{"10.0.0.1"}, Up: new(true), Qdisc: new("fq"), ReceivedPackets: new(int64(1)), SentPackets: new(int64(2)), RxDropped: new(int64(3)), TxDropped: new(int64(4)),
			QdiscDropped: new(int64(5)), QdiscOverlimits: new(int64(6)), QdiscBacklog: new(int64(77)),
		}},
	}
	assert.Check(t, is.DeepEqual(h.report(), want))
}

// TestPlainKernel: a plain connection whose socket is one of Multipath TCP that fell back has the rows of that, at
// the host that has them.
func TestPlainKernel(t *testing.T) {
	for side, end := range []hosts.End{hosts.EndA, hosts.EndB} {
		h := &host{Host: &hosts.Host{End: end}}
		m := &socket{of: h, mptcp: true, rows: 7, fallback: true, token: 0xab, hasToken: true, last: sample{at: hosts.Ref{File: &hosts.File{}}}}
		a, b := netip.MustParseAddrPort("10.2.1.1:40000"), netip.MustParseAddrPort("10.2.100.2:5001")
		j := &joinedTCP{of: &joinedConn{}}
		j.of.mptcp[side], j.sides[side] = m, &aligned{socket: &socket{of: h, rows: 3, last: m.last}}
		x := &Records{hosts: []*host{h}, joined: map[key][]*joinedTCP{{a, b}: {j}}}
		c := &report.TCP{A: report.Endpoint{Addr: "10.2.1.1", Port: 40000}, B: report.Endpoint{Addr: "10.2.100.2", Port: 5001}}
		x.TCP(c)
		k, other := c.Kernel.A, c.Kernel.B
		if side == 1 {
			k, other = other, k
		}
		if k == nil || k.ConnectionRows != 7 || !k.Fallback || *k.Token != "0x000000ab" || k.Rows != 3 || other != nil || !m.connection(0).Fallback {
			t.Errorf("%+v", c.Kernel)
		}
		of := &report.Connection{Subflows: []report.Subflow{{A: c.A, B: c.B}}}
		x.Connection(of)
		if both := [2]*report.ConnectionKernel{of.Kernel.A, of.Kernel.B}; both[side] == nil || both[side].Rows != 7 || both[1-side] != nil {
			t.Errorf("of Multipath TCP: %+v", of.Kernel)
		}
		if both := [2]*report.SubflowKernel{of.Subflows[0].Kernel.A, of.Subflows[0].Kernel.B}; both[side] == nil || both[side].Rows != 3 || both[1-side] != nil {
			t.Errorf("of its subflow: %+v", of.Subflows[0].Kernel)
		}
	}
}

// TestKernelLine: a line of a record as a proof, 2 s after the connection's start: its stamp is 1 s behind.
func TestKernelLine(t *testing.T) {
	s := &causeFinder{hosts: [2]*host{nil, {Host: &hosts.Host{}, timed: true, offset: 1e9}}, start: 5e9}
	got := s.line(1, sample{stamp: 6e9, at: hosts.Ref{File: &hosts.File{Path: "ss.txt"}, Line: 8}}, "cwnd", 9, "segments", "a window of 9")
	want := report.KernelLine{Host: report.SideB, File: "ss.txt", Line: 8, TS: new(2.0), Field: "cwnd", Value: new(9.0), Unit: new("segments"), Text: "a window of 9"}
	assert.Check(t, is.DeepEqual(got, want))
}
