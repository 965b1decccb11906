package tcptrace

import (
	"fmt"

	"mpanalyze/internal/conn"
)

// totals are the counters of file_stats.csv, by the side whose doing they are.
type totals struct {
	connections, subflows, fastcloses, finished, failed, wrongHMAC [2]int64
}

// total counts a connection that is over.
func (s *Statistics) total(c *conn.Conn) {
	t := &s.totals
	t.connections[conn.A]++
	switch c.State() {
	case conn.Closed:
		t.finished[conn.A]++
	case conn.Fastclosed:
		t.finished[conn.A]++
		for _, x := range c.Subflows {
			if x.HasCloser {
				t.fastcloses[x.ClosedBy]++
				break
			}
		}
	}
	for _, x := range c.Subflows {
		if !x.Joined {
			continue
		}
		t.subflows[x.Initiator]++
		if x.Refused() {
			t.failed[x.Initiator]++
		}
		if x.HMAC == conn.HMACInvalid {
			t.wrongHMAC[x.Initiator]++
		}
	}
}

// Finish writes file_stats.csv, once all connections are over: name, client,
// server. Of mptcptrace's twelve counters it has those that are more than the
// state of mptcptrace's own tables.
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
		{"joinFailed", s.totals.failed},
		{"JoinWrongHMAC", s.totals.wrongHMAC},
	} {
		out.buf = fmt.Appendf(out.buf, "%s,%d,%d\n", x.name, x.n[conn.A], x.n[conn.B])
	}
	out.close()
	return s.folder.err
}
