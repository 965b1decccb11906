package tcptrace_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/tracegen"
)

const ms = time.Millisecond

// scripted is a session of version 0 as host A sees it, with 10 ms each way: two
// subflows, the second joined at 0.1 s, 1000 bytes on the first, 500 on the
// second, the first 1000 again on the second, and an ACK of all on the first.
// mptcptrace writes of it what the test wants.
func scripted(t *testing.T) (dir string) {
	t.Helper()
	n := tracegen.NewNetwork(tracegen.Start)
	s := n.Session(tracegen.Config{Version: 0, DSN4: true, DataAck4: true, DataSeqOnly: true})
	end := netip.MustParseAddrPort
	f := s.Subflow(tracegen.Path{A: end("10.0.0.1:40000"), B: end("10.0.1.1:80"), ISN: [2]seq.Wire{1000, 5000}})
	g := s.Subflow(tracegen.Path{A: end("10.0.2.1:40001"), B: end("10.0.1.1:80"), ISN: [2]seq.Wire{2000, 6000}})
	f.Open(0)
	g.Open(100 * ms)
	f.Data(tracegen.A2B, 200*ms, 0, 1000)
	g.Data(tracegen.A2B, 210*ms, 1000, 500)
	g.Data(tracegen.A2B, 220*ms, 0, 1000)
	f.Ack(tracegen.B2A, 240*ms)
	path := filepath.Join(t.TempDir(), "session.pcap")
	if err := n.WriteFile(path, tracegen.HostA, tracegen.Format{}); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	m, err := tcptrace.NewStatistics(dir, "session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, FileOrder: true, Modules: []conn.Module{m}}); err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// marks are what rows are written with below: @250 is the timestamp 0.25 s after
// the start, $1 the DSN of the first byte.
var marks = regexp.MustCompile(`@\d+|\$\d+`)

func rows(text string) string {
	first := uint32(mptcp.IDSN(0, tracegen.DefaultKeyA))
	return marks.ReplaceAllStringFunc(text, func(mark string) string {
		n, _ := strconv.Atoi(mark[1:])
		if mark[0] == '$' {
			return fmt.Sprint(first + uint32(n))
		}
		at := tracegen.Start.Add(time.Duration(n) * ms)
		return fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000)
	})
}

// TestMptcptraceRows: every row of the series.
func TestMptcptraceRows(t *testing.T) {
	dir := scripted(t)
	for name, want := range map[string]string{
		// Time, DSN, subflow from 1, 1 for data, its end, subflow that had it before. The join ends at 0.14 s with a DATA_ACK.
		"c2s_seq_1.csv": "@140,$1,2,0,0,-1\n@200,$1,1,1,$1001,-1\n@210,$1001,2,1,$1501,-1\n@220,$1,2,1,$1001,1\n@250,$1501,1,0,0,-1\n",
		"s2c_seq_1.csv": "",
		// 1: the window of 1 MiB. 2: data that is not acknowledged, each byte once. 3: the same of the subflows.
		"c2s_flight_1.csv": "@140,1048576,1,0,0,-1\n@200,1000,2,0,0,-1\n@200,1000,3,0,0,-1\n@210,1500,2,0,0,-1\n@210,1500,3,0,0,-1\n" +
			"@220,1500,2,0,0,-1\n@220,2500,3,0,0,-1\n@250,1048576,1,0,0,-1\n",
		"s2c_flight_1.csv": "@140,0,3,0,0,-1\n@250,0,3,0,0,-1\n", // with each DATA_ACK, of what its sender has sent
		// The subflows from 0, the later one below.
		"c2s_flight_per_flow_1.csv": "@200,0,0,1,1000,-1\n@210,0,1,1,500,-1\n@210,500,0,1,1500,-1\n@220,0,1,1,1500,-1\n@220,1500,0,1,2500,-1\n",
		"c2s_acksize_1.csv":         "@140,0,2,0,0,-1\n@250,1500,1,0,0,-1\n",
		"c2s_rtt_ack_ts_1.csv":      "@250,50.000000,2,0,0\n@250,40.000000,2,0,0\n",
		"c2s_rtt_seq_ts_1.csv":      "@200,50.000000,2,0,0\n@210,40.000000,2,0,0\n",
		"c2s_gput_1.csv":            "@250,0.013636,2,0,0\n", // 1500 bytes in 0.11 s
		"c2s_sf_1.csv":              "0,1000,0\n1,1500,0\n",
		"c2s_map_reinject_1.csv":    "id,n\n0,2\n",
		"add_addr_1.csv":            "",
		"c2s_rightEdge_1.csv":       "",
		"file_stats.csv": "nbConnections,1,0\nsfConnections,2,0\nnbFastClose,0,0\nfinishedConnections,0,0\nnbFastCloseSeen,0,0\n" +
			"JoinWrongHMAC,0,0\nconnTimeOut,0,0\nsuspectJoinRejected,0,0\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(rows(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMptcptraceStatistics: the names in mptcptrace's order, and what counts
// something.
func TestMptcptraceStatistics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(scripted(t), "stats_1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	got := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), ";", 4)
		if cells[0] != "session.pcap" || cells[1] != "1" {
			t.Errorf("row %q", line)
		}
		names, got[cells[2]] = append(names, cells[2]), cells[3]
	}
	want := []string{"sfCount", "firstSeq", "lastAck", "conTime", "seqAcked"}
	for _, i := range []string{"1", "0"} {
		want = append(want, "sf_"+i+"_ipVersion", "sf_"+i+"_ip", "sf_"+i+"_port")
	}
	want = append(want, "tcpDumpFilter", "bytesReinjected", "precentReinjected")
	for _, name := range []string{"reinject", "reinject_pc_"} {
		for i := range 32 {
			want = append(want, name+strconv.Itoa(i))
		}
	}
	want = append(want, "reinjectCausedBy_1_40001", "reinjectCausedByPc_1_40001", "reinjectCausedBy_0_40000", "reinjectCausedByPc_0_40000")
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"sfCount":                    "2;0",
		"conTime":                    "0.230000;0.230000", // from the third ACK at 0.02 s
		"seqAcked":                   "1501;0",            // from the initial number; the client sent no DATA_ACK
		"sf_1_ip":                    "10.0.2.1;10.0.1.1",
		"tcpDumpFilter":              " tcp && (  ( ip host 10.0.2.1 && tcp port 40001  ) ||  ( ip host 10.0.0.1 && tcp port 40000  )  ) ;",
		"bytesReinjected":            "1000;0",
		"precentReinjected":          "0.666223;0.000000", // 1000 / 1501
		"reinject1":                  "1;0",               // mappings that one subflow carried
		"reinject2":                  "1;0",               // two subflows
		"reinject_pc_2":              "0.500000;0.000000",
		"reinjectCausedBy_0_40000":   "1;0",
		"reinjectCausedByPc_0_40000": "1.000000;0.000000",
		"reinjectCausedBy_1_40001":   "0;0",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
