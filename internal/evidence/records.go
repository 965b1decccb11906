package evidence

import (
	"fmt"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// Records are the records of all hosts, and what joins them to connections.
type Records struct {
	hosts  []*host
	conns  int                   // of the captures, of which records have sockets: counters of a host may count all of them
	joined map[pair][]*joinedTCP // by the ends of the subflow, A first; bounded by the sockets in the records
}

// host is the records of one host.
type host struct {
	*hosts.Host
	rows    int64              // of sockets
	sockets []*socket          // in the order of their first rows
	tcp     map[pair][]*socket // bounded by the sockets
	mptcp   map[any]*socket    // see [keyOfMPTCP]
	tokens  map[string]bool    // of the events, in the form of reports: whether a connection of the captures has it

	aligned []*aligned // sockets of TCP that joined
	here    bool       // a capture was taken at this host
	sides   [2]int64   // sockets that joined, by the side that this host was
	clock   report.RecordClock
	offset  int64
	timed   bool

	foreign   bool                      // it has sockets, and none of them joined
	conflicts [numFields]report.Warning // by field
}

// Read reads the records that the user gave. files holds what else reads them; nil for nothing.
func Read(sources []hosts.Source, files *storage.Files) (*Records, error) {
	x := &Records{joined: map[pair][]*joinedTCP{}}
	_, err := hosts.Read(sources, files, func(h *hosts.Host) func(*hosts.Row) {
		one := newHost(h)
		x.hosts = append(x.hosts, one)
		return func(r *hosts.Row) {
			one.rows++
			one.socket(r).add(r)
		}
	})
	for _, h := range x.hosts {
		for _, e := range h.Records[hosts.Monitor] {
			h.tokens[e.Token] = false
		}
	}
	return x, err
}

func newHost(h *hosts.Host) *host {
	return &host{Host: h, tcp: map[pair][]*socket{}, mptcp: map[any]*socket{}, tokens: map[string]bool{}}
}

// Cut returns an error that names the first row of each file that ends too early; nil if
// there is none.
func (x *Records) Cut() error {
	for _, h := range x.hosts {
		for _, f := range h.Files {
			if f.Cut > 0 {
				return fmt.Errorf("%s, line %d: a row ends too early; all other rows were used", f.Path, f.Cut)
			}
		}
	}
	return nil
}

// maxSame bounds the sockets of one pair of ends, one after the other: rows that contradict each
// other look like many.
const maxSame = 64

// socket returns the socket of a row.
func (h *host) socket(r *hosts.Row) *socket {
	at, k := pair{r.Local, r.Peer}, keyOfMPTCP(r)
	list := h.tcp[at]
	switch n := len(list); {
	case !r.MPTCP && n > 0 && (n >= maxSame || !list[n-1].fresh(r)):
		return list[n-1]
	case !r.MPTCP:
		h.tcp[at] = append(list, newSocket(h, r))
	case h.mptcp[k] != nil:
		return h.mptcp[k]
	default:
		h.mptcp[k] = newSocket(h, r)
	}
	return h.sockets[len(h.sockets)-1]
}

// keyOfMPTCP names a socket of Multipath TCP: its token, or its ends if no token is printed.
func keyOfMPTCP(r *hosts.Row) any {
	if r.HasToken {
		return r.LocalToken
	}
	return pair{r.Local, r.Peer}
}
