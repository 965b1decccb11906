package diagnose

import (
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// lateStart judges a capture that begins in the middle of the connection: it has no packet of any
// handshake of it. A few packets of one end are only a fragment; the report says so.
func (j *judge) lateStart() {
	if j.c.Handshake || j.m.Conn.Fallback != "" {
		return
	}
	both := [2]bool{}
	for _, s := range j.m.Subs {
		both[conn.A] = both[conn.A] || s.Sub.Senders[conn.A].Packets > 0
		both[conn.B] = both[conn.B] || s.Sub.Senders[conn.B].Packets > 0
		if !s.Sub.NoSYN || s.Handshake.SYN.Seen() || s.Handshake.SYNACK.Seen() {
			return
		}
	}
	if !both[conn.A] || !both[conn.B] {
		return
	}
	lacks := []string{"the round trip of the handshake", "keys and tokens", "window scales, and so the receive windows"}
	if j.c.Version == nil {
		lacks = append(lacks, "the version of Multipath TCP")
	}
	text := "the capture begins in the middle of the connection, behind its handshake. Not known because of that: " + strings.Join(lacks, "; ") +
		". Which host opened it is not certain: a is the one whose ports are those of a client, else the one that sent the first packet"
	v := j.add(report.VerdictLateStart, report.Minor, text)
	if j.m.Vantage == conn.Unknown {
		v.Text += ". The place of the capture is not known either, so figures that depend on it are absent, such as round trips, losses and the delay of delivery"
		v.Remedy = "Say where the capture was taken, if you know it: --vantage a, b or middle brings back round trips, losses and the delay of delivery. Start the next capture before the connection."
	}
}
