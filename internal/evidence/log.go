package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// Log is what samples of ss alone, without a capture, say of the connection with the most data.
type Log struct {
	Side        report.Side  // which end the host is
	Subflows    []LogSubflow // in the order of their first rows
	Connections int          // that the log has
}

// LogSubflow is by how much the counters of a subflow grew from the first sample of a log to the
// last row of the subflow.
type LogSubflow struct {
	Local, Peer           netip.AddrPort
	Sent, Received        int64 // bytes; those sent with copies
	Segments              int64 // with data, copies included
	RetransmittedSegments int64
}

// ReadLog reads samples of ss. files holds what else reads them; nil for nothing. side is the end that
// the host is; empty to find it by the rows.
func ReadLog(files *storage.Files, path string, side report.Side) (*Log, error) {
	x, err := Read([]hosts.Source{{Path: path}}, files)
	if err != nil {
		return nil, err
	}
	return x.hosts[0].log(side)
}

// progress is what the rows of a TCP socket say of its counters in a log.
type progress struct {
	base   hosts.Values // in the first sample of the file; a socket that is not in it began at 0 after it
	opened int          // 1 if the host opened the subflow, -1 if it did not; 0 if the rows do not tell
	unsent bool         // a row has sent data, and none has bytes_sent
}

// add takes a row. bytes_acked counts the SYN, too, of the host that opened the subflow. In states after ESTABLISHED it
// may also count the FIN.
func (p *progress) add(r *hosts.Row) {
	sent, acked := r.Value(hosts.BytesSent), r.Value(hosts.BytesAcked)
	if r.Stamp == r.File.First {
		p.base = r.Values
	}
	p.unsent = sent == 0 && (p.unsent || r.Value(hosts.DataSegsOut) > 0 || acked > 2) // SYN and FIN count 1 each
	switch once := sent - r.Value(hosts.BytesRetrans); {
	case r.State != "ESTAB":
	case acked > once:
		p.opened = 1
	case p.opened == 0 && once > 0 && acked == once:
		p.opened = -1
	}
}

// log chooses the connection with the most data.
func (h *host) log(side report.Side) (*Log, error) {
	f := h.Files[0]
	if f.Kind != hosts.SS {
		return nil, errors.New("it is no output of ss")
	}
	if f.First == hosts.NoStamp || f.First == f.Last {
		return nil, errors.New("it has no two samples of ss with stamps; counters are those of the last less those of the first")
	}
	var all []*socket // of subflows, in the order of their first rows
	for _, s := range h.sockets {
		if s.token != 0 && s.info > 0 && !s.mptcp {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no row of it is of a subflow of Multipath TCP with its token; root sees them with ss -ti")
	}
	byToken, volume := map[uint32][]*socket{}, map[uint32]float64{}
	for _, s := range all {
		byToken[s.token] = append(byToken[s.token], s)
		volume[s.token] += s.grown(hosts.BytesSent) + s.grown(hosts.BytesReceived)
	}
	best := byToken[slices.MaxFunc(all, func(a, b *socket) int { return cmp.Compare(volume[a.token], volume[b.token]) }).token]
	if side = cmp.Or(side, h.endOfLog(best)); side == "" {
		return nil, errors.New("its rows do not tell which end of the connection the host is; name it by --vantage a or b, or put the log into a folder host-a or host-b")
	}
	out := &Log{Side: side, Connections: len(byToken)}
	for _, s := range best {
		if s.progress.unsent {
			return nil, fmt.Errorf("this ss does not print bytes_sent, which %v needs", s.ends.local)
		}
		out.Subflows = append(out.Subflows, LogSubflow{
			Local: s.ends.local, Peer: s.ends.peer,
			Sent: int64(s.grown(hosts.BytesSent)), Received: int64(s.grown(hosts.BytesReceived)),
			Segments: int64(s.grown(hosts.DataSegsOut)), RetransmittedSegments: int64(s.grown(hosts.RetransTotal)),
		})
	}
	return out, nil
}

// endOfLog returns which end the host is; empty if the rows do not tell. It opened the connection if
// it opened the first subflow of which that is known.
func (h *host) endOfLog(subflows []*socket) report.Side {
	for _, s := range subflows {
		switch {
		case slices.ContainsFunc(h.Records[hosts.Listener], func(l *hosts.Record) bool { return l.Local.Port() == s.ends.local.Port() }), s.progress.opened < 0:
			return report.SideB
		case s.progress.opened > 0:
			return report.SideA
		}
	}
	return ""
}

// grown returns by how much a counter grew.
func (s *socket) grown(f hosts.Field) float64 { return s.values.Value(f) - s.progress.base.Value(f) }
