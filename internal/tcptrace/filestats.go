package tcptrace

import (
	"fmt"

	"mpanalyze/internal/conn"
)

// totals are the counters of file_stats.csv, by the sender as mptcptrace has it.
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

// Finish writes file_stats.csv, once all connections are over, and gives the files
// their names, or returns the error that ended the writing. Columns: name, client,
// server. Of mptcptrace's twelve counters it has those that say something of the
// capture and not of mptcptrace's tables; nothing times out without its option -t.
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
	return s.folder.finish()
}
