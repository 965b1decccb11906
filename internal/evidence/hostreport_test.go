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
	file := &hosts.File{Name: "ss.txt", Kind: hosts.SS, Part: "ss -tin", Samples: 3, Rows: 9, RowsUnused: 4, Unread: 3, UnknownFields: 5, First: 6e9, Last: 7e9, Status: report.RecordPartly, Reason: "cut"}
	link := func(n int64) map[string]int64 {
		return map[string]int64{hosts.ReceivedPackets: 10 + n, hosts.SentPackets: 20 + 2*n, hosts.ReceivedDropped: 30 + 3*n, hosts.SentDropped: 40 + 4*n}
	}
	queue := func(n int64) map[string]int64 {
		return map[string]int64{hosts.Dropped: 50 + 5*n, hosts.QueueOverlimits: 60 + 6*n, hosts.QueueBacklog: 70 + 7*n}
	}
	list, setting := record("endpoints", 1, nil), &hosts.Record{Thing: hosts.Thing{Kind: hosts.Sysctl, Name: "net.mptcp.enabled"}, Text: "1"}
	list.List = []*hosts.Record{record("endpoints", 1, map[string]int64{"port": 81, "id": 4})}
	list.List[0].Name, list.List[0].Flags, list.List[0].Text = "10.0.0.1", []string{"signal"}, "p1"
	linkAfter, queueAfter := record("link", 2, link(1)), record("tc", 2, queue(1))
	linkAfter.Flags, queueAfter.Text = []string{"UP"}, "fq"
	h := &host{Host: &hosts.Host{
		From: []string{"folder"}, Files: []*hosts.File{file}, Kernel: "6.18", Tools: "iproute2-6.1",
		Records: map[hosts.Kind][]*hosts.Record{
			hosts.Sysctl: {setting}, hosts.Addr: {device("p1", "10.0.0.1")},
			hosts.Monitor: {{Ref: hosts.Ref{File: file}, Token: "0x01"}, {Ref: hosts.Ref{File: file}, Token: "0x02"}, {}},
		},
		States: map[hosts.Thing]hosts.State{
			{Kind: hosts.Limits}: {After: record("limits", 1, map[string]int64{"subflows": 2, "add_addr_accepted": 3})}, {Kind: hosts.Endpoints}: {After: list},
			setting.Thing: {After: setting}, {Kind: hosts.Nstat}: counted(map[string]int64{"MPTcpExtMPJoinRx": 8 - 5}),
			{Kind: hosts.Link, Name: "p1"}: {Before: record("link", 1, link(0)), After: linkAfter}, {Kind: hosts.Qdisc, Name: "p1"}: {Before: record("tc", 1, queue(0)), After: queueAfter},
		},
	}, tokens: map[string]bool{"0x02": true}, clock: report.RecordClock{Method: report.ClockCounters, OffsetMS: new(1.5), UncertaintyMS: new(0.5), Rows: 2}, sides: [2]int64{0, 1}}
	want := report.HostRecords{
		Host: new(report.SideB), From: []string{"folder"}, Kernel: new("6.18"), IPRoute: new("iproute2-6.1"),
		Files: []report.RecordFile{{
			File: "ss.txt", Kind: new("ss"), Part: new("ss -tin"), Samples: 3, Rows: 9, RowsUnused: 4 + 3 + 1, UnknownFields: 5,
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
	for side, end := range []report.Side{report.SideA, report.SideB} {
		h := &host{Host: &hosts.Host{End: end}}
		m := &socket{of: h, mptcp: true, rows: 7, fallback: true, token: 0xab, hasToken: true, last: sample{at: hosts.Ref{File: &hosts.File{}}}}
		a, b := netip.MustParseAddrPort("10.2.1.1:40000"), netip.MustParseAddrPort("10.2.100.2:5001")
		j := &joinedTCP{of: &joinedConn{}}
		j.of.mptcp[side], j.sides[side] = m, &aligned{socket: &socket{of: h, rows: 3, last: m.last}}
		x := &Records{hosts: []*host{h}, conns: 1, joined: map[pair][]*joinedTCP{{a, b}: {j}}}
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
	s := &causeFinder{hosts: [2]*host{nil, {Host: &hosts.Host{}, timed: true, offset: 1e9}}, conn: &report.Connection{Start: 5e9}}
	got := s.line(1, sample{stamp: 6e9, at: hosts.Ref{File: &hosts.File{Path: "ss.txt"}, Line: 8}}, "cwnd", 9, "segments", "a window of 9")
	want := report.KernelLine{Host: report.SideB, File: "ss.txt", Line: 8, TS: new(2.0), Field: "cwnd", Value: new(9.0), Unit: new("segments"), Text: "a window of 9"}
	assert.Check(t, is.DeepEqual(got, want))
}
