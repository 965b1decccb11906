package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// logRow is a row of ss of a subflow of the host 10.0.0.9.
func logRow(state string, peer, inode int, token string, counters string) string {
	return fmt.Sprintf("%s 0 0 10.0.0.9:5001 10.0.%d.1:40000 ino:%d sk:1 <->\n\t cubic rto:204 mss:1448 cwnd:10 %s minrtt:20 tcp-ulp-mptcp flags:Mec token:0000(id:0)/%s(id:0)\n", state, peer, inode, counters, token)
}

func logFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ss.txt")
	assert.NilError(t, os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600))
	return name
}

const (
	logFirst  = "1795626705.000000000\n"
	logSecond = "1795626705.200000000\n"
	logThird  = "1795626705.400000000\n"
)

// The counters of a subflow are those of its last row less those of the first sample; a socket
// that came later began at 0. A later socket with the same ends is a subflow of its own, and the
// connection with less data is left out.
func TestReadLog(t *testing.T) {
	log, err := ReadLog(nil, logFile(t,
		logFirst, logRow("ESTAB", 1, 11, "aa", "bytes_sent:1000 bytes_acked:1000 bytes_received:70 data_segs_out:2 retrans:0/1"),
		logSecond, logRow("ESTAB", 1, 11, "aa", "bytes_sent:8000 bytes_retrans:500 bytes_acked:6000 bytes_received:100 data_segs_out:9 retrans:0/3"),
		logRow("ESTAB", 2, 12, "aa", "bytes_sent:3000 bytes_acked:2000 data_segs_out:3"),
		logRow("ESTAB", 3, 13, "bb", "bytes_sent:4000 bytes_acked:2000 data_segs_out:4"),
		logThird, logRow("FIN-WAIT-2", 1, 11, "aa", "bytes_sent:9000 bytes_retrans:500 bytes_acked:8501 bytes_received:100 data_segs_out:10 retrans:0/4"),
		logRow("ESTAB", 2, 14, "aa", "bytes_sent:500 bytes_acked:500 data_segs_out:1"),
		"TIME-WAIT 0 0 10.0.0.9:5001 10.0.1.1:40000 timer:(timewait,59sec,0) ino:0 sk:1\n",
	), "")
	assert.NilError(t, err)
	want := [][4]int64{{9000 - 1000, 100 - 70, 10 - 2, 4 - 1}, {3000, 0, 3, 0}, {500, 0, 1, 0}}
	var got [][4]int64
	for _, s := range log.Subflows {
		got = append(got, [4]int64{s.Sent, s.Received, s.Segments, s.RetransmittedSegments})
	}
	if log.Side != report.SideB || log.Connections != 2 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("side %s, %d connections, %v, want side b, 2, %v", log.Side, log.Connections, got, want)
	}
}

// bytes_acked counts the SYN of the host that opened the subflow. The host that listens on its
// port did not. If neither tells, the user has to.
func TestEndOfLog(t *testing.T) {
	const listen = "LISTEN 0 4096 0.0.0.0:5001 0.0.0.0:* ino:9 sk:40d cgroup:unreachable:1 <->\n\t cubic cwnd:10\n"
	for name, c := range map[string]struct {
		counters, more string
		want           report.Side
	}{
		"the SYN counts":     {"bytes_sent:900 bytes_acked:901", "", report.SideA},
		"nothing sent":       {"bytes_acked:1 bytes_received:5", "", report.SideA},
		"no SYN counts":      {"bytes_sent:900 bytes_retrans:100 bytes_acked:800", "", report.SideB},
		"only SYN and FIN":   {"bytes_acked:1 bytes_received:5", logRow("FIN-WAIT-2", 2, 12, "aa", "bytes_acked:2"), report.SideA},
		"data outstanding":   {"bytes_sent:900 bytes_acked:800", "", ""},
		"outstanding, lists": {"bytes_sent:900 bytes_acked:800", listen, report.SideB},
	} {
		log, err := ReadLog(nil, logFile(t, logFirst, c.more, logSecond, logRow("ESTAB", 1, 11, "aa", c.counters)), "")
		switch {
		case c.want == "" && (err == nil || !strings.Contains(err.Error(), "--vantage")):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err != nil || log.Side != c.want):
			t.Errorf("%s: %v, %v, want side %s", name, log, err, c.want)
		}
	}
	log, err := ReadLog(nil, logFile(t, logFirst, logSecond, logRow("ESTAB", 1, 11, "aa", "bytes_sent:900 bytes_acked:800")), report.SideA)
	if err != nil || log.Side != report.SideA {
		t.Errorf("the named end: %v, %v", log, err)
	}
}

// A log that lacks what the counters need is refused.
func TestBadLog(t *testing.T) {
	row := logRow("ESTAB", 1, 11, "aa", "bytes_sent:900 bytes_acked:900")
	for want, lines := range map[string][]string{
		"no output of ss":   {"add_addr_accepted 2 subflows 2\n"},
		"no two samples":    {logFirst, row},
		"no row of it":      {logFirst, logSecond, "ESTAB 0 0 10.0.0.9:5001 10.0.1.1:40000 ino:1 sk:1 <->\n\t cubic rto:204 mss:1448 cwnd:10 bytes_sent:900\n"},
		"not print":         {logFirst, logSecond, logRow("ESTAB", 1, 11, "aa", "bytes_acked:900 data_segs_out:3 bytes_received:4")},
		"no two samples of": {row},
	} {
		if _, err := ReadLog(nil, logFile(t, lines...), report.SideB); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
