package tcptrace

import (
	"fmt"

	"mpanalyze/internal/conn"
)

// totals are the counters of file_stats.csv, by the sender as in mptcptrace.
type totals struct {
	connections, subflows, fastcloses, finished, fastclosesSeen, wrongHMAC, timeouts, rejected [2]int64
}

// count counts a Multipath TCP connection.
func (s *Statistics) count(c *conn.Conn) {
	t := &s.totals
	t.connections[conn.A]++
	t.subflows[conn.A] += int64(len(c.Subflows))
	for i, x := range c.Subflows {
		if x.HMAC == conn.HMACInvalid {
			t.wrongHMAC[conn.A]++
		}
		asked, _ := x.Senders[conn.A].WScale()
		answered, _ := x.Senders[conn.B].WScale()
		if i > 0 && asked != 0 && answered == 0 {
			t.rejected[conn.A]++
		}
	}
}

// Finish writes file_stats.csv and gives the files their names. Call it after all connections
// have ended. If a file could not be written, it returns the error. The columns are name,
// client, server. mptcptrace has twelve counters; Finish leaves out those that describe the
// tables of mptcptrace and not the capture. connTimeOut is 0, as in mptcptrace without option -t.
func (s *Statistics) Finish() error {
	out := &file{folder: &s.folder, name: "file_stats.csv"}
	for _, x := range []struct {
		name string
		n    [2]int64
	}{
		{"nbConnections", s.totals.connections},
		{"sfConnections", s.totals.subflows},
		{"nbFastClose", s.totals.fastcloses},
		{"finishedConnections", s.totals.finished},
		{"nbFastCloseSeen", s.totals.fastclosesSeen},
		{"JoinWrongHMAC", s.totals.wrongHMAC},
		{"connTimeOut", s.totals.timeouts},
		{"suspectJoinRejected", s.totals.rejected},
	} {
		out.buf = fmt.Appendf(out.buf, "%s,%d,%d\n", x.name, x.n[conn.A], x.n[conn.B])
	}
	out.close()
	return s.folder.Finish()
}
