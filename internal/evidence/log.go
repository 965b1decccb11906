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
	x := &logReader{sockets: map[*socket]*logSocket{}}
	all, err := hosts.Read([]hosts.Source{{Path: path}}, files, func(h *hosts.Host) hosts.Visitor {
		x.host = newHost(h)
		return x
	})
	if err != nil {
		return nil, err
	}
	return x.log(all[0], side)
}

// logReader gathers the sockets of a log.
type logReader struct {
	*host
	sockets map[*socket]*logSocket // those of TCP
	order   []*logSocket           // all of them, in the order of their first rows; bounded by the sockets
}

// logSocket is a TCP socket in a log.
type logSocket struct {
	*socket
	base   hosts.Values
	opened answer
	unsent bool // a row has sent data, and none has bytes_sent
}

// answer is what rows say about a question.
type answer uint8

const (
	notKnown answer = iota
	yes
	no
)

// Row takes a row of ss.
func (x *logReader) Row(r *hosts.Row) {
	if r.MPTCP || !r.Info() {
		return
	}
	at := x.socket(r)
	s := x.sockets[at]
	if s == nil {
		s = &logSocket{socket: at}
		x.sockets[at], x.order = s, append(x.order, s)
	}
	s.add(r)
}

// Event takes an event, of which a log has none.
func (*logReader) Event(*hosts.Event) {}

// add takes a row; a log needs no figures of rows. A socket that is not in the first sample began at 0 after it.
func (s *logSocket) add(r *hosts.Row) {
	s.identify(r)
	s.info++
	s.values = r.Values
	if r.Stamp == r.File.First {
		s.base = s.values
	}
	s.unsent = r.Value(hosts.BytesSent) == 0 && (s.unsent || r.Value(hosts.DataSegsOut) > 0 || r.Value(hosts.BytesAcked) > 2) // SYN and FIN count 1 each
	s.noteOpener(r)
}

// noteOpener notes whether the host opened the subflow: there bytes_acked counts the SYN, too. In
// states after ESTABLISHED it may also count the FIN.
func (s *logSocket) noteOpener(r *hosts.Row) {
	if r.State != "ESTAB" {
		return
	}
	switch once, acked := r.Value(hosts.BytesSent)-r.Value(hosts.BytesRetrans), r.Value(hosts.BytesAcked); {
	case acked > once:
		s.opened = yes
	case s.opened == notKnown && once > 0 && acked == once:
		s.opened = no
	}
}

// log chooses the connection with the most data.
func (x *logReader) log(h *hosts.Host, side report.Side) (*Log, error) {
	f := h.Files[0]
	if f.Kind != hosts.SS {
		return nil, errors.New("it is no output of ss")
	}
	if f.First == hosts.NoStamp || f.First == f.Last {
		return nil, errors.New("it has no two samples of ss with stamps; counters are those of the last less those of the first")
	}
	byToken := map[uint32][]*logSocket{}
	volume := map[uint32]float64{}
	var tokens []uint32
	for _, s := range x.order {
		if s.token == 0 {
			continue
		}
		if byToken[s.token] == nil {
			tokens = append(tokens, s.token)
		}
		byToken[s.token] = append(byToken[s.token], s)
		volume[s.token] += s.grown(hosts.BytesSent) + s.grown(hosts.BytesReceived)
	}
	if len(tokens) == 0 {
		return nil, errors.New("no row of it is of a subflow of Multipath TCP with its token; root sees them with ss -ti")
	}
	best := slices.MaxFunc(tokens, func(a, b uint32) int { return cmp.Compare(volume[a], volume[b]) })
	if side == "" {
		side = endOfLog(h, byToken[best])
	}
	if side == "" {
		return nil, errors.New("its rows do not tell which end of the connection the host is; name it by --vantage a or b, or put the log into a folder host-a or host-b")
	}
	out := &Log{Side: side, Connections: len(tokens)}
	for _, s := range byToken[best] {
		if s.unsent {
			return nil, fmt.Errorf("this ss does not print bytes_sent, which %v needs", s.ends.local)
		}
		out.Subflows = append(out.Subflows, s.subflow())
	}
	return out, nil
}

// endOfLog returns which end the host is; empty if the rows do not tell. It opened the connection if
// it opened the first subflow of which that is known.
func endOfLog(h *hosts.Host, subflows []*logSocket) report.Side {
	for _, s := range subflows {
		switch {
		case slices.ContainsFunc(h.Listeners, func(l hosts.Listener) bool { return l.Port == int(s.ends.local.Port()) }), s.opened == no:
			return report.SideB
		case s.opened == yes:
			return report.SideA
		}
	}
	return ""
}

// grown returns by how much a counter grew.
func (s *logSocket) grown(f hosts.Field) float64 { return s.values.Value(f) - s.base.Value(f) }

// subflow returns by how much the counters grew.
func (s *logSocket) subflow() LogSubflow {
	return LogSubflow{
		Local: s.ends.local, Peer: s.ends.peer,
		Sent: int64(s.grown(hosts.BytesSent)), Received: int64(s.grown(hosts.BytesReceived)),
		Segments: int64(s.grown(hosts.DataSegsOut)), RetransmittedSegments: int64(s.grown(hosts.RetransTotal)),
	}
}
