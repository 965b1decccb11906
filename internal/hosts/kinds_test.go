package hosts

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// texts are the kinds of file with what the commands print.
var texts = []struct {
	kind Kind
	text string
}{
	{SS, tcpHead + "\n" + tcpDetails + "\n"},
	{SS, "1795626705.445147843\n1795626705.645147843\n"},
	{Monitor, "[2026-11-25T17:11:44.764572] [SF_ESTABLISHED] token=660c61aa remid=2 locid=0 saddr4=10.2.100.2 daddr4=10.2.2.1 sport=5001 dport=42689 backup=0\n"},
	{Monitor, "[       CREATED] token=660c61aa\n"},
	{Monitor, "[2026-11-25T17:19:56.162503] [UNKNOWN 15]\n"},
	{Nstat, "#kernel\nIpInReceives                    699                0.0\n"},
	{Nstat, `{"kernel":{"IpInReceives":699}}` + "\n"},
	{Nstat, "TcpExt: SyncookiesSent TCPOFODrop\nTcpExt: 1 2\n"},
	{Nstat, "MPTcpExtMPJoinSynRx             2                  0.0\nMPTcpExtMPJoinAckRx             2                  0.0\n"},
	{Endpoints, "10.2.2.1 id 2 subflow dev p2 \n"},
	{Endpoints, "fd00::1 port 99 id 2 signal,backup\n"},
	{Limits, "add_addr_accepted 4 subflows 4 \n"},
	{Sysctl, "net.mptcp.enabled = 1\nnet.ipv4.tcp_rmem = 4096\t131072\t33554432\n"},
	{Qdisc, "qdisc tbf 800a: dev p1 root refcnt 2 rate 3Mbit burst 3999b lat 21.3ms \n Sent 1961306 bytes 1341 pkt (dropped 7, overlimits 1315 requeues 0) \n backlog 2Kb 0p requeues 0\n"},
	{Link, "2: p1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UNKNOWN\n    link/ether 02:00:00:00:02:01 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n         52396     664      0       1       0       0\n    TX:  bytes packets errors dropped carrier collsns\n       1569172    1106      0       3       0       0\n"},
	{Addr, "lo               UNKNOWN        127.0.0.1/8 ::1/128 \np1               UP             10.2.1.1/24 \n"},
	{Addr, "2: p1@if3: <BROADCAST,UP> mtu 1500\n    link/ether 02:00:00:00:02:01\n    inet 10.2.1.1/24 scope global p1\n"},
	{Route, "default via 10.2.1.254 dev p1\n10.2.1.0/24 dev p1 proto kernel scope link src 10.2.1.2 \nlocal 10.2.1.2 dev p1 table local proto kernel\nlocal 10.2.1.2 dev p1\n10.2.1.3 dev p1 table local\n"},
	{Route, "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n"},
	{"uname", "Linux host 6.18.44 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n"},
	{"uname", "ss utility, iproute2-6.15.0, libbpf 1.5.0\n"},
	{"offload", "Features for p1:\ntcp-segmentation-offload: off\n"},
	{Firewall, "table inet filter {\n\tchain input {\n\t\ttcp dport 5001 counter packets 3 bytes 180 drop\n\t}\n}\n"},
	{Firewall, "Chain INPUT (policy ACCEPT 10 packets, 800 bytes)\n pkts bytes target prot opt in out source destination\n    3   180 DROP tcp -- p2 * 0.0.0.0/0 0.0.0.0/0\n"},
	{Tcpdump, "tcpdump: listening on p1, link-type EN10MB (Ethernet), snapshot length 96 bytes\n1770 packets captured\n1771 packets received by filter\n1 packets dropped by kernel\n"},
	{"trace", "# tracer: nop\n#\n"},
	{ProcMPTCP, "  sl  loc_tok  rem_tok  v6 local_address                         remote_address                        st ns tx_queue rx_queue inode\n   0: 96B4DEB  5F3AD7E3  0 0101020A:1389 0202020A:C001 01 02 00000010:00000020 4711\n"},
	{Bundle, "mptcp-get-debug: version 1\n\n" + rule + "uname -a\n" + rule + "Linux host 6.18.44 #1\n"},
	{Unknown, "The quick brown fox\njumps over the lazy dog\n"},
	{Unknown, "\x00\x01\x02binary"},
}

const rule = "========================================\n"

// A file is recognised by its content, with or without blanks behind lines and CRLF.
func TestKinds(t *testing.T) {
	for _, c := range texts {
		for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "  \r\n")} {
			if got, _ := kindOf([]byte(text)); got != c.kind {
				t.Errorf("%q is %q, want %q", text, got, c.kind)
			}
		}
	}
}

// folder writes files into a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// one reads a folder as one host.
func one(t *testing.T, files map[string]string) (h *Host, rows []Row) {
	t.Helper()
	all, err := Read([]Source{{report.SideA, folder(t, files)}}, nil, func(*Host) func(*Row) { return func(r *Row) { rows = append(rows, *r) } })
	if err != nil || len(all) != 1 {
		t.Fatalf("%d hosts: %v", len(all), err)
	}
	return all[0], rows
}

// noRows takes the rows of a host, and forgets them.
func noRows(*Host) func(*Row) { return func(*Row) {} }

// textOf returns the first text of a kind.
func textOf(k Kind) string {
	for _, c := range texts {
		if c.kind == k {
			return c.text
		}
	}
	return ""
}

// A folder gives the facts of all its files.
func TestFacts(t *testing.T) {
	h, _ := one(t, map[string]string{
		"limits": textOf(Limits), "endpoints.before": "", "endpoints.after": textOf(Endpoints), "sysctl": textOf(Sysctl), "uname": textOf("uname"),
		"link": textOf(Link), "addr": textOf(Addr), "qdisc": textOf(Qdisc), "fw": textOf(Firewall), "tcpdump.log": textOf(Tcpdump), "route": textOf(Route),
		"ss_version.txt": "ss utility, iproute2-6.15.0, libbpf 1.5.0\n", "nstat.before": "#kernel\nTcpInSegs 100 0.0\nTcpOutRsts 0 0.0\nIpInReceives 5 0.0\n", "nstat.after": "#kernel\nTcpInSegs 150 0.0\nTcpOutRsts 0 0.0\nIpInReceives 5 0.0\n",
	})
	l := h.State(Limits, "").Latest()
	assert.Check(t, is.DeepEqual(l.Values, map[string]Value{"subflows": {4, 1}, "add_addr_accepted": {4, 1}}))
	endpoints := h.State(Endpoints, "")
	assert.Assert(t, len(endpoints.Before.List) == 0 && len(endpoints.After.List) == 1, "endpoints %+v", endpoints)
	e := endpoints.After.Find("10.2.2.1")
	assert.Check(t, e.Values["id"].N == 2 && e.Has("subflow") && !e.Has("signal") && e.Text == "p2", "endpoint %+v", e)
	s := h.State(Sysctl, "net.ipv4.tcp_rmem").Latest()
	assert.Check(t, s.Text == "4096 131072 33554432" && s.Line == 2, "setting %+v", s)
	assert.Check(t, h.Kernel == "6.18.44" && h.Tools == "6.15.0", "kernel %q, tools %q", h.Kernel, h.Tools)
	p1 := h.DeviceOf(netip.MustParseAddr("10.2.1.1"))
	link := h.State(Link, p1).After
	assert.Check(t, p1 == "p1" && link.Has("UP"), "device %s", p1)
	assert.Check(t, is.DeepEqual(link.Values, map[string]Value{ReceivedPackets: {664, 4}, ReceivedDropped: {1, 4}, SentPackets: {1106, 6}, SentDropped: {3, 6}}))
	q := h.State(Qdisc, "p1").After
	assert.Check(t, q.Text == "tbf")
	assert.Check(t, is.DeepEqual(q.Values, map[string]Value{Dropped: {7, 2}, QueueOverlimits: {1315, 2}, QueueBacklog: {2048, 3}}))
	rules, logs := h.Records[Firewall], h.Records[Tcpdump]
	assert.Check(t, len(rules) == 1 && rules[0].Values[RulePackets].N == 3, "rules %+v", rules)
	assert.Check(t, len(logs) == 1)
	assert.Check(t, is.DeepEqual(logs[0].Values, map[string]Value{Dropped: {1, 4}}))
	assert.Check(t, len(h.Records[Route]) == 2, "routes %v", h.Records[Route])
	counters := h.State(Nstat, "")
	if v, at, ok := counters.Difference("TcpInSegs"); !ok || v != 50 || at.Line != 2 || at.File.Name != "nstat.after" {
		t.Errorf("difference %d at %v, %v", v, at, ok)
	}
	if _, ok := counters.Zero("TcpOutRsts"); !ok {
		t.Error("TcpOutRsts is not known to be 0")
	}
	if _, ok := counters.Zero("MPTcpExtMPJoinSynRx"); ok {
		t.Error("a counter that is not there is known to be 0")
	}
}

// Counters have a difference only if both values are known and none shrank.
func TestCountersWithout(t *testing.T) {
	const list = "#kernel\nTcpInSegs %s 0.0\nTcpOutRsts 0 0.0\n"
	value := func(v string) string { return strings.Replace(list, "%s", v, 1) }
	for _, c := range []struct {
		name  string
		files map[string]string
		why   string
	}{
		{"after alone", map[string]string{"nstat.after": value("7")}, WhyNoBefore},
		{"shrunk", map[string]string{"nstat.before": value("9"), "nstat.after": value("7")}, WhyShrunk},
		{"by sums", map[string]string{"x": value("9"), "y": value("7")}, ""},
		{"none", map[string]string{"limits": textOf(Limits)}, WhyNoAfter},
	} {
		h, _ := one(t, c.files)
		counters := h.State(Nstat, "")
		if got := counters.Why(); got != c.why {
			t.Errorf("%s: %q, want %q", c.name, got, c.why)
		}
		if v, _, ok := counters.Difference("TcpInSegs"); ok != (c.why == "") || ok && v != 2 {
			t.Errorf("%s: difference %d, %v", c.name, v, ok)
		}
	}
}

// The parts of a bundle are files of their own, and its samples without time add nothing to
// samples with time.
func TestBundle(t *testing.T) {
	var bundle strings.Builder
	bundle.WriteString("mptcp-get-debug: version 1\n\n")
	for _, part := range [][2]string{
		{"uname -a", textOf("uname")},
		{"cat /etc/os-release", "ID=debian\n"},
		{"ip mptcp endpoint show", ""},
		{"ip mptcp limits show", textOf(Limits)},
		{"ss -ManiH", mptcpHead + "\n\t" + mptcpDetails + "\n"},
		{"ip mptcp monitor: start", "[       CREATED] token=96b4deb\n"},
		{"nstat", "#kernel\nTcpInSegs 5 0.0\n"},
		{"ip mptcp monitor: stop", ""},
	} {
		bundle.WriteString("\n" + rule + part[0] + "\n" + rule + part[1])
	}
	h, rows := one(t, map[string]string{"bundle.txt": bundle.String()})
	limits := h.State(Limits, "").Latest()
	if len(rows) != 1 || len(h.Records[Monitor]) != 1 || limits == nil || h.State(Endpoints, "").First() == nil || h.Kernel == "" || h.State(Nstat, "").After == nil {
		t.Errorf("%d rows, %d events, %+v", len(rows), len(h.Records[Monitor]), h)
	}
	if want := 1 + strings.Count(bundle.String()[:strings.Index(bundle.String(), "add_addr")], "\n"); limits.Line != want {
		t.Errorf("limits in line %d, want %d", limits.Line, want)
	}
	if h.Files[0].Kind != Bundle || h.Files[0].Part != "" || len(h.Files) != 7 {
		t.Errorf("%d files, the first %+v", len(h.Files), h.Files[0])
	}
	_, rows = one(t, map[string]string{"bundle.txt": bundle.String(), "ss.txt": "1795626705.445\n" + tcpHead + tcpDetails + "\n"})
	assert.Check(t, len(rows) == 1 && !rows[0].MPTCP, "%d rows beside samples with time", len(rows))
}

// Events have their fields and flags, and a stamp: their own, that before them, or that of the line above. The others are counted.
func TestEvents(t *testing.T) {
	h, _ := one(t, map[string]string{"m": "[2026-11-25T17:13:16.094934] [     SF_CLOSED] token=4acb4c61 remid=2 locid=1 saddr4=10.2.2.2 daddr4=10.2.2.1 sport=60631 dport=36574 backup=1 error=111 reset_reason=3\n" +
		"$ ls\n[LISTENER_CREATED] saddr4=0.0.0.0 sport=5001\n[ANNOUNCED] token=1 remid=3 daddr6=::ffff:10.2.2.1 dport=0\n" +
		"1795626705.5 [CREATED] token=2 remid=1 server_side deny_join_id0\n# t=1795626706.25\n[ESTABLISHED] token=2 flags=3\n[CREATED] token=4 flags=0x2\n1795626707 [CLOSED] token=2\n"})
	event := func(name string, stamp int64, token, local, remote string, values map[string]Value, flags ...string) *Record {
		r := &Record{Thing: Thing{Monitor, name}, Stamp: stamp, Token: token, Values: values, Flags: flags}
		r.Local, _ = netip.ParseAddrPort(local)
		r.Remote, _ = netip.ParseAddrPort(remote)
		return r
	}
	want := []*Record{
		event("SF_CLOSED", 1795626796094934e3, "0x4acb4c61", "10.2.2.2:60631", "10.2.2.1:36574", map[string]Value{RemoteID: {2, 1}, "locid": {1, 1}, "sport": {60631, 1}, "dport": {36574, 1}, Backup: {1, 1}, Error: {111, 1}, ResetReason: {3, 1}}),
		event("LISTENER_CREATED", NoStamp, "", "0.0.0.0:5001", "", map[string]Value{"sport": {5001, 3}}),
		event("ANNOUNCED", NoStamp, "0x00000001", "", "10.2.2.1:0", map[string]Value{RemoteID: {3, 4}, "dport": {0, 4}}),
		event("CREATED", 17956267055e8, "0x00000002", "", "", map[string]Value{RemoteID: {1, 5}}, "server-side", DenyJoin),
		event("ESTABLISHED", 179562670625e7, "0x00000002", "", "", nil, DenyJoin),
		event("CREATED", 179562670625e7, "0x00000004", "", "", nil),
		event("CLOSED", 1795626707e9, "0x00000002", "", "", nil),
	}
	assert.Check(t, h.Files[0].Unread == 1 && h.Files[0].Rows == 7, "%+v", h.Files[0])
	assert.Check(t, is.DeepEqual(h.Records[Monitor], want, cmpopts.IgnoreFields(Record{}, "Ref", "Zeros"), cmpopts.IgnoreUnexported(Record{}), cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })))
}

// A line that no form fits is counted, and the first is shown. A file of which no line can be used is not used.
func TestUnreadLines(t *testing.T) {
	const events, long = "[ESTABLISHED] token=1\n", "%s: a line of a tool that has more than sixty bytes of text, é and \xff"
	part := func(command, text string) string { return "\n" + rule + command + "\n" + rule + text }
	for _, c := range []struct {
		name, text   string
		file         int
		rows, unread int64
		status       report.RecordStatus
		reason       string
	}{
		{"all is read", events + "\n# a comment\n--\n# t=1.5\n" + events, 0, 2, 0, report.RecordUsed, ""},
		{"one is not", events + "? !\n", 0, 1, 1, report.RecordPartly, "lines that cannot be read: 1; the first is line 2: ? !"},
		{"none is", part("ip mptcp monitor", "no event\nand none\n"), 1, 0, 2, report.RecordUnused, "lines that cannot be read: 2; the first is line 5: no event"},
		{"limits", textOf(Limits) + long + "\n", 0, 1, 1, report.RecordPartly, "lines that cannot be read: 1; the first is line 2: " + long[:60]},
		{"endpoints", part("ip mptcp endpoint", "Error: no such device\n"), 1, 0, 1, report.RecordUnused, "lines that cannot be read: 1; the first is line 5: Error: no such device"},
		{"settings", textOf(Sysctl) + "sysctl: cannot stat\n", 0, 2, 1, report.RecordPartly, "lines that cannot be read: 1; the first is line 3: sysctl: cannot stat"},
		{"settings with stamps", "1795626705.5 net.mptcp.enabled = 1\n1795626705.6 net.mptcp.add_addr_v6_port_drop_ts = 1\n", 0, 2, 0, report.RecordUsed, ""},
		{"rows of sockets", "State Recv-Q Send-Q\n" + tcpHead + "\n" + tcpDetails + "\nudp UNCONN 0 0 *:1 *:*\n\t skmem:(r0)\n\nCannot open\n\t cwnd:3\n", 0, 1, 2, report.RecordPartly, "lines that cannot be read: 2; the first is line 7: Cannot open"},
		{"a command that is not known", part("cat /etc/issue", "Debian\n"), 0, 0, 0, report.RecordUnused, "no command in it is known"},
	} {
		h, _ := one(t, map[string]string{"f": c.text, "limits.txt": textOf(Limits)})
		slices.SortStableFunc(h.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
		f := h.Files[c.file]
		assert.Check(t, f.Rows == c.rows && f.Unread == c.unread && f.Status == c.status && f.Reason == c.reason, "%s: %+v", c.name, f)
	}
}

// A host has up to 255 endpoints, and limits of up to 64 subflows.
func TestManyEndpoints(t *testing.T) {
	var list strings.Builder
	for id := 1; id <= 255; id++ {
		fmt.Fprintf(&list, "2001:db8::%x id %d subflow laminar dev p%d \n", id, id, id)
	}
	h, _ := one(t, map[string]string{"endpoints": list.String(), "limits": "add_addr_accepted 64 subflows 64 \n"})
	all := h.State(Endpoints, "").Latest().List
	assert.Assert(t, len(all) == 255)
	last := all[254]
	assert.Check(t, last.Values["id"].N == 255 && last.Name == "2001:db8::ff" && last.Text == "p255" && last.Has("laminar"), "%+v", last)
	assert.Check(t, is.DeepEqual(h.State(Limits, "").Latest().Values, map[string]Value{"subflows": {64, 1}, "add_addr_accepted": {64, 1}}))
}

// A row of /proc is a row of Multipath TCP: 0101020A:1389 is 10.2.1.1:5001.
func TestProc(t *testing.T) {
	_, rows := one(t, map[string]string{"proc": textOf(ProcMPTCP)})
	assert.Assert(t, len(rows) == 1, "%d rows", len(rows))
	r := rows[0]
	if !r.MPTCP || r.LocalToken != 0x96b4deb || r.Local != netip.MustParseAddrPort("10.2.1.1:5001") || r.Peer != netip.MustParseAddrPort("10.2.2.2:49153") || r.Value(SendQ) != 16 || r.Value(RecvQ) != 32 || r.Inode != 4711 {
		t.Errorf("%+v", r)
	}
}

// Paths that do not exist and folders without records are errors that name the path.
func TestNothingToRead(t *testing.T) {
	empty := t.TempDir()
	for _, path := range []string{filepath.Join(empty, "missing"), empty, folder(t, map[string]string{"a": "some words\n"})} {
		_, err := Read([]Source{{report.SideA, path}}, nil, noRows)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Files without an end are one host, folders without one are one host each, and a file that is
// given twice is read once.
func TestHosts(t *testing.T) {
	a, b := folder(t, map[string]string{"limits": textOf(Limits), "ss": tcpHead + tcpDetails + "\n"}), folder(t, map[string]string{"uname": textOf("uname")})
	for _, c := range []struct {
		sources []Source
		files   []int
	}{
		{[]Source{{report.SideA, a}, {report.SideB, b}}, []int{2, 1}},
		{[]Source{{"", a}, {"", b}}, []int{2, 1}},
		{[]Source{{"", filepath.Join(a, "ss")}, {"", filepath.Join(b, "uname")}}, []int{2}},
		{[]Source{{report.SideB, a}, {report.SideB, filepath.Join(a, "ss")}}, []int{2}},
	} {
		all, err := Read(c.sources, nil, noRows)
		assert.NilError(t, err)
		var got []int
		for _, h := range all {
			got = append(got, len(h.Files))
		}
		if d := cmp.Diff(c.files, got); d != "" {
			t.Errorf("%v: %s", c.sources, d)
		}
	}
}

// Whatever a file holds, reading it ends and gives no values without a place.
func FuzzRead(f *testing.F) {
	for _, c := range texts {
		f.Add(c.text)
	}
	f.Add("\n" + rule + "ss -ManiH\n" + rule + tcpHead + "\n" + rule + "nstat\n" + rule)
	f.Fuzz(func(t *testing.T, text string) {
		found, _ := kindOf([]byte(text))
		for _, k := range []Kind{found, Nstat, Endpoints, Limits, Sysctl, Qdisc, Link, Addr, Route, Firewall, Tcpdump, Monitor, ProcMPTCP, "uname", Bundle} {
			h := &Host{take: func(*Row) {}}
			file := &File{Kind: k, First: NoStamp, Last: NoStamp}
			p := h.partReader(file, middle)
			l := newLines(text)
			for l.next() {
				p.line(l)
			}
			p.end()
			h.settle()
			for _, e := range h.Records[Monitor] {
				assert.Check(t, e.Line >= 1 && e.Name != "", "event %+v", e)
			}
			for _, list := range h.Records {
				for _, r := range list {
					assert.Check(t, r.Line >= 1, "record %+v", r)
				}
			}
		}
	})
}

func FuzzStamp(f *testing.F) {
	for _, s := range []string{"1795626705.445147843", "2026-11-25 17:11:45.5+01:00 x", "Wed Nov 25 17:11:45 UTC 2026", "# t=12.25", "Nov 25 17:11:45 ESTAB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, rest, resolution, ok := stampOf([]byte(text))
		assert.Check(t, !ok || resolution >= 1 && resolution <= 1e9 && len(rest) <= len(text), "%q: resolution %d, rest %q", text, resolution, rest)
	})
}
