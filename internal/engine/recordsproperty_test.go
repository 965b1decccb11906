package engine_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
)

// recordTexts are records of other kinds than ss, some with values that contradict each other.
var recordTexts = map[string]string{
	"nstat.before": "#kernel\nIpInReceives 0 0.0\nIpInDelivers 0 0.0\nTcpOutRsts 0 0.0\nTcpExtTCPRcvQDrop 0 0.0\nMPTcpExtMPJoinSynRx 0 0.0\nMPTcpExtMPJoinRejected 0 0.0\n",
	"nstat.after":  "#kernel\nIpInReceives 900 0.0\nIpInDelivers 700 0.0\nTcpOutRsts 3 0.0\nTcpExtTCPRcvQDrop 9 0.0\nMPTcpExtMPJoinSynRx 0 0.0\nMPTcpExtMPJoinRejected 2 0.0\n",
	"endpoints":    "10.2.1.1 id 1 subflow dev p1\n10.2.2.1 id 2 signal dev p2\n",
	"limits":       "add_addr_accepted 0 subflows 0\n",
	"sysctl":       "net.mptcp.enabled = 0\n",
	"qdisc.after":  "qdisc tbf 800a: dev p1 root refcnt 2 rate 3Mbit\n Sent 1961306 bytes 1341 pkt (dropped 7, overlimits 1315 requeues 0)\n backlog 2Kb 0p requeues 0\n",
	"link.after":   "2: p1: <BROADCAST,MULTICAST> mtu 1500\n    RX:  bytes packets errors dropped  missed   mcast\n         52396     664      0       1       0       0\n    TX:  bytes packets errors dropped carrier collsns\n       1569172    1106      0       3       0       0\n",
	"addr":         "p1               UP             10.2.1.1/24 \np2               UP             10.2.2.1/24 \n",
	"tcpdump.log":  "tcpdump: listening on p1, link-type EN10MB (Ethernet), snapshot length 96 bytes\n1770 packets captured\n1771 packets received by filter\n5 packets dropped by kernel\n",
	"monitor":      "[2026-11-25T17:11:44.764572] [SF_CLOSED] token=660c61aa remid=2 locid=0 saddr4=10.2.100.2 daddr4=10.2.2.1 sport=5001 dport=42689 backup=0 error=103\n",
}

// elsewhere gives rows the ends of another connection, so that they join one that they do not
// describe.
func elsewhere(text string, c *report.Connection) string {
	if len(c.Subflows) == 0 {
		return text
	}
	at := func(i int) (a, b string) {
		s := &c.Subflows[min(i, len(c.Subflows)-1)]
		return fmt.Sprintf("%s:%d", s.A.Addr, s.A.Port), fmt.Sprintf("%s:%d", s.B.Addr, s.B.Port)
	}
	a, b := at(0)
	a2, b2 := at(1)
	return strings.NewReplacer("10.2.100.2:5001 10.2.1.1:48792", b+" "+a, "10.2.1.1:48792 10.2.100.2:5001", a+" "+b,
		"10.2.100.2:5001 10.2.2.1:39985", b2+" "+a2, "10.2.2.1:39985 10.2.100.2:5001", a2+" "+b2).Replace(text)
}

// packetsAlone returns the report as text without what comes from records. A verdict that they add
// or explain keeps what the packets say of it.
func packetsAlone(t *testing.T, doc *report.Document, known map[report.VerdictCode]int) string {
	for i := range doc.Connections {
		keepPackets(doc.Connections[i].Verdicts, known)
	}
	for i := range doc.TCP {
		keepPackets(&doc.TCP[i].Verdicts, known)
	}
	var text bytes.Buffer
	assert.NilError(t, jsonreport.Write(&text, withoutRecords(doc)))
	return text.String()
}

// keepPackets removes from verdicts what records add. Of those with known codes the rest stays.
func keepPackets(l *report.List[report.Verdict], known map[report.VerdictCode]int) {
	var kept report.List[report.Verdict]
	for _, v := range report.Known(l) {
		if known[v.Code] > 0 {
			v.Text, v.Cause, v.Alternatives, v.Kernel, v.Remedy = "", nil, nil, nil, ""
			v.Parameters = slices.DeleteFunc(v.Parameters, func(p report.Parameter) bool { return p.Name == "explains" || strings.HasPrefix(p.Name, "because") })
			kept = append(kept, v)
		}
	}
	if l != nil {
		*l = kept
	}
}

// No record changes a figure of the packets: neither records of the session nor those of others, of either
// end and of an end that is not told, in captures of one host and of both.
func TestRecordsChangeNoFigure(t *testing.T) {
	joined, explained := 0, 0
	server := session("v1/l-single-loss/server.pcap.zst")
	both := wholly(session("v1/l-single-loss/client.pcap.zst"))
	both.Receiver, both.Swap = []string{server}, true
	for k, o := range []engine.Options{wholly(recordsCase), wholly(server), both} {
		plain := analyzed(t, o)
		known := codes(plain)
		for i := range plain.TCP {
			for _, v := range plain.TCP[i].Verdicts {
				known[v.Code]++
			}
		}
		dir := t.TempDir()
		for name, text := range recordTexts {
			save(t, filepath.Join(dir, name), []byte(text))
		}
		save(t, filepath.Join(dir, "ss0.txt"), []byte(elsewhere(recordsText(t), &plain.Connections[0])))
		save(t, filepath.Join(dir, "ss1.txt"), []byte(elsewhere(string(unpacked(t, 1<<24, cases+"records-peer.ss.zst")), &plain.Connections[0])))
		want := packetsAlone(t, plain, known)
		for _, end := range []report.Side{"", report.SideA, report.SideB} {
			with := o
			with.Evidence = []hosts.Source{{End: end, Path: dir}}
			doc := analyzed(t, with)
			for i := range doc.Connections {
				c := &doc.Connections[i]
				if c.Kernel != nil && (c.Kernel.A != nil || c.Kernel.B != nil) {
					joined++
				}
				for _, v := range report.Known(c.Verdicts) {
					if v.Cause != nil && len(v.Kernel) > 0 {
						explained++
					}
				}
			}
			if got := packetsAlone(t, doc, known); got != want {
				t.Fatalf("capture %d, records of %q: a record changes a figure:\n%s", k, end, cmp.Diff(want, got))
			}
		}
	}
	if joined == 0 || explained == 0 {
		t.Errorf("%d connections have records, and %d verdicts are explained: the test shows nothing", joined, explained)
	}
}
