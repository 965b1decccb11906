package tcptrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/tracegen"
)

const ms = time.Millisecond

// addr is an end of a path.
var addr = netip.MustParseAddrPort

// scripted is a session of version 0 as host A sees it, with 10 ms each way: two
// subflows, the second joined at 0.1 s, 1000 bytes on the first, 500 on the
// second, the first 1000 again on the second, and an ACK of all on the first.
// mptcptrace writes of it what the test wants.
func scripted(t *testing.T) map[string]string {
	t.Helper()
	n := tracegen.NewNetwork(tracegen.Start)
	s := n.Session(tracegen.Config{Version: 0, DSN4: true, DataAck4: true, DataSeqOnly: true})
	f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80"), ISN: [2]seq.Wire{1000, 5000}})
	g := s.Subflow(tracegen.Path{A: addr("10.0.2.1:40001"), B: addr("10.0.1.1:80"), ISN: [2]seq.Wire{2000, 6000}})
	f.Open(0)
	g.Open(100 * ms)
	f.Data(tracegen.A2B, 200*ms, 0, 1000)
	g.Data(tracegen.A2B, 210*ms, 1000, 500)
	g.Data(tracegen.A2B, 220*ms, 0, 1000)
	f.Ack(tracegen.B2A, 240*ms)
	files, _ := traced(t, n)
	return files
}

// traced has all modules follow what host A of a network captured. It returns the files of
// mptcptrace and the graphs by name, and the TCP connections.
func traced(t *testing.T, n *tracegen.Network) (map[string]string, []*tcptrace.Pair) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session;1.pcap")
	assert.NilError(t, n.WriteFile(path, tracegen.HostA, tracegen.Format{}))
	dirs := [2]string{t.TempDir(), t.TempDir()}
	m, err := tcptrace.NewStatistics(dirs[0], "session;1.pcap")
	assert.NilError(t, err)
	g, err := tcptrace.NewGraphs(dirs[1])
	assert.NilError(t, err)
	var c tcptrace.Collector
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, FileOrder: true, Modules: []conn.Module{m, g, &c}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, errors.Join(m.Finish(), g.Finish()))
	files := map[string]string{}
	for _, dir := range dirs {
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range names {
			text, err := os.ReadFile(name)
			assert.NilError(t, err)
			files[filepath.Base(name)] = string(text)
		}
	}
	return files, c.Pairs(tracegen.Start.Add(10 * time.Second).UnixNano())
}

// compareFiles compares files with rows as [rows] has them.
func compareFiles(t *testing.T, keys [2]uint64, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		assert.Check(t, is.DeepEqual(got[name], rows(text, keys)), "%s", name)
	}
}

// marks are what rows are written with below: @250 is the timestamp 0.25 s after the start, $1
// the DSN of the first byte of A, %1 that of B.
var marks = regexp.MustCompile(`[@$%]\d+`)

func rows(text string, keys [2]uint64) string {
	return marks.ReplaceAllStringFunc(text, func(mark string) string {
		n, _ := strconv.Atoi(mark[1:])
		if side := strings.IndexByte("$%", mark[0]); side >= 0 {
			return fmt.Sprint(uint32(mptcp.IDSN(0, keys[side])) + uint32(n))
		}
		at := tracegen.Start.Add(time.Duration(n) * ms)
		return fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000)
	})
}

// preamble are the lines of a graph before its objects.
func preamble(direction string) string {
	return "timeval double\ntitle\n" + direction + " - Time sequence\nxlabel\nTime\nylabel\nSequence number\n"
}

// TestMptcptraceRows: every row of the series.
func TestMptcptraceRows(t *testing.T) {
	compareFiles(t, [2]uint64{tracegen.DefaultKeyA}, scripted(t), map[string]string{
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
		// Colours 1 and 2 are the subflows. The join comes before any data, so that its tick is at the initial number.
		// Only data that the other subflow carried before is a reinjection, R.
		"c2s_seq_0.xpl": preamble("c2s") + "2\nvtick @120 $0\nrtext @120 $0\n join\ndiamond @140 $1\n1\nline @200 $1 @200 $1001\n" +
			"2\nline @210 $1001 @210 $1501\nline @220 $1 @220 $1001\natext @220 $1001\n R\n1\ndiamond @250 $1501\ngo\n",
		"file_stats.csv": "nbConnections,1,0\nsfConnections,2,0\nnbFastClose,0,0\nfinishedConnections,0,0\nnbFastCloseSeen,0,0\n" +
			"JoinWrongHMAC,0,0\nconnTimeOut,0,0\nsuspectJoinRejected,0,0\n",
	})
}

// TestMptcptraceStatistics: the names in mptcptrace's order, and what counts
// something.
func TestMptcptraceStatistics(t *testing.T) {
	var names []string
	got := map[string]string{}
	for line := range strings.Lines(scripted(t)["stats_1.csv"]) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), ";", 4)
		assert.Check(t, cells[0] == "session_1.pcap" && cells[1] == "1", "row %q", line)
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
	assert.Check(t, is.DeepEqual(names, want), "names")
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

// several are sessions that end in every way: with DATA_FINs of both ends that are acknowledged, and a
// MP_FASTCLOSE that comes after them; with MP_FASTCLOSEs of either end; without Multipath TCP, as B does not know it.
func several() *tracegen.Network {
	n := tracegen.NewNetwork(tracegen.Start)
	open := func(port uint16, delay time.Duration, cfg tracegen.Config) (*tracegen.Session, *tracegen.Subflow) {
		cfg.DSN4, cfg.DataAck4, cfg.DataSeqOnly = true, true, true
		cfg.Keys = [2]uint64{uint64(port) + 100, uint64(port) + 200}
		s := n.Session(cfg)
		f := s.Subflow(tracegen.Path{A: netip.AddrPortFrom(addr("[2001:db8::1]:1").Addr(), port), B: addr("[2001:db8::2]:80"), ISN: [2]seq.Wire{1000, 5000}})
		f.Open(delay)
		return s, f
	}
	s, f := open(1001, 0, tracegen.Config{})
	f.Data(tracegen.A2B, 100*ms, 0, 300)
	f.Data(tracegen.A2B, 110*ms, 0, 300)
	f.Data(tracegen.B2A, 115*ms, 0, 50)
	f.Signal(tracegen.A2B, 130*ms, s.AddAddr(tracegen.A2B, mptcp.AddAddr{AddressID: 3, Addr: addr("10.0.0.9:1").Addr()}))
	f.Signal(tracegen.B2A, 140*ms, s.AddAddr(tracegen.B2A, mptcp.AddAddr{AddressID: 4, Addr: addr("10.0.0.8:1").Addr()}))
	f.Signal(tracegen.B2A, 150*ms, &mptcp.RemoveAddr{List: [37]uint8{4, 5}, N: 2})
	_ = s.Close(200*ms, 300, 50)
	f.Fastclose(tracegen.A2B, 300*ms)
	_, g := open(1002, 0, tracegen.Config{})
	g.Data(tracegen.A2B, 100*ms, 0, 10)
	g.Fastclose(tracegen.A2B, 120*ms)
	third, h := open(1003, 0, tracegen.Config{})
	join := third.Subflow(tracegen.Path{A: addr("10.0.0.1:1004"), B: addr("10.0.0.2:80"), ISN: [2]seq.Wire{3000, 7000}})
	join.SYN(30 * ms)
	join.SYNACK(40 * ms).Edit(func(p *tracegen.Packet) { p.Options = bytes.Replace(p.Options, []byte{3, 3, 7}, []byte{1, 1, 1}, 1) })
	join.ThirdACK(50 * ms).Edit(func(p *tracegen.Packet) { p.Options[len(p.Options)-1]++ })
	h.Fastclose(tracegen.B2A, 120*ms)
	plain := n.Session(tracegen.Config{Plain: true}).Subflow(tracegen.Path{A: addr("10.0.0.1:1005"), B: addr("10.0.0.2:80"), ISN: [2]seq.Wire{4000, 8000}})
	plain.SYN(0).Edit(func(p *tracegen.Packet) {
		p.Options = (&mptcp.Capable{Flags: mptcp.CapableHMAC, Have: mptcp.CapableHasSenderKey, SenderKey: 9}).Append(p.Options)
	})
	plain.SYNACK(10 * ms)
	plain.ThirdACK(20 * ms)
	return n
}

// TestEnds: what mptcptrace counts at the ends of [several] sessions. B acknowledges 300 bytes and the
// DATA_FIN of A, and A 50 bytes and that of B. Repeated data counts again in the bytes of a subflow,
// and is no reinjection where the same subflow carried it.
func TestEnds(t *testing.T) {
	files, pairs := traced(t, several())
	compareFiles(t, [2]uint64{1101, 1201}, files, map[string]string{
		"file_stats.csv": "nbConnections,3,0\n" +
			"sfConnections,5,0\n" + // 1 + 1 + 2, and 1 that B's plain TCP refused
			"nbFastClose,1,1\nfinishedConnections,1,0\n" +
			"nbFastCloseSeen,1,2\n" + // that of a connection that is over counts for the server
			"JoinWrongHMAC,1,0\nconnTimeOut,0,0\n" +
			"suspectJoinRejected,1,0\n", // its SYN/ACK has no window scale
		"add_addr_1.csv": "1,10.0.0.9\n0,10.0.0.8\n", "rm_addr_1.csv": "0,4\n0,5\n",
		"c2s_sf_1.csv": "0,601,51\n", // 300 + 300 + 1 for the DATA_FIN; 50 + 1
		"c2s_sf_3.csv": "0,0,0\n1,0,0\n", "s2c_sf_2.csv": "0,10,0\n",
		"c2s_map_reinject_1.csv": "id,n\n",
		"s2c_seq_1.csv":          "@125,%1,1,1,%51,-1\n@130,%51,1,0,0,-1\n@220,%51,1,1,%52,-1\n@220,%52,1,0,0,-1\n@220,%52,1,0,0,-1\n",
		"s2c_rtt_ack_ts_1.csv":   "@130,5.000000,2,0,0\n@220,0.000000,2,0,0\n", // as A sees it
		"s2c_acksize_1.csv":      "@130,50,1,0,0,-1\n@220,1,1,0,0,-1\n@220,0,1,0,0,-1\n",
		// The third packet has no DSS, so that all bytes since the first mapping are in flight. B's ACK at 150 ms is of all 600.
		"c2s_flight_per_flow_1.csv": "@100,0,0,1,300,-1\n@110,0,0,1,600,-1\n@130,0,0,1,300,-1\n@200,0,0,1,0,-1\n@220,0,0,1,0,-1\n@220,0,0,1,0,-1\n",
		"c2s_seq_0.xpl": preamble("c2s") + "1\nline @100 $1 @100 $301\nline @110 $1 @110 $301\n" +
			"vtick @130 $301\nrtext @130 $301\n ADD_ADDR\nvtick @150 $301\nrtext @150 $301\n ADD_ADDR\ndiamond @150 $301\n" +
			strings.Repeat("vtick @160 $301\nrtext @160 $301\n REMOVE_ADDR\n", 2) + "diamond @160 $301\ndiamond @240 $302\ngo\n",
	})
	for name, want := range map[string]string{
		"sfCount": "1;0", "firstSeq": "$0;%0", "lastAck": "%52;$302", "seqAcked": "302;52",
		"conTime":        "0.220000;0.220000", // from the third ACK at 20 ms to B's last DATA_ACK at 240
		"sf_0_ipVersion": "6;6", "sf_0_ip": "2001:db8::1;2001:db8::2", "sf_0_port": "1001;80", "reinject1": "2;2",
		"tcpDumpFilter": " tcp && (  ( ip6 host 2001:db8::1 && tcp port 1001  )  ) ;",
	} {
		if row := rows("session_1.pcap;1;"+name+";"+want+"\n", [2]uint64{1101, 1201}); !strings.Contains(files["stats_1.csv"], row) {
			t.Errorf("no row %q in\n%s", row, files["stats_1.csv"])
		}
	}
	idle := map[uint16][2]int64{}
	for _, p := range pairs {
		idle[p.Ends[0].Port] = [2]int64{p.Dirs[0].MaxIdle / 1000, p.Dirs[1].MaxIdle / 1000}
	}
	// Connections with no FIN and no RST are idle to the end of the capture at 10 s. Of the first one, A is silent from 20 to
	// 100 ms and B's packets come at 20 and 125.
	assert.Check(t, is.DeepEqual(idle, map[uint16][2]int64{1001: {80, 105}, 1002: {9880, 9980}, 1003: {9980, 9870}, 1004: {9950, 9950}, 1005: {9980, 9980}}), "longest pauses in ms")
}
