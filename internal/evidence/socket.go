package evidence

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/hosts"
)

// pair is both ends of a socket, that of the host first; of a subflow, A first.
type pair struct{ local, peer netip.AddrPort }

// of returns the ends as a side sees them, of those that A sees.
func (p pair) of(side int) pair {
	if side == 1 {
		return pair{p.peer, p.local}
	}
	return p
}

// socket is what the rows of one socket say. A socket whose counters shrink is another one
// that got the same ends.
type socket struct {
	of    *host
	ends  pair
	mptcp bool

	token    uint32
	hasToken bool
	inode    int64

	rows   int64                 // of any state
	files  map[*hosts.File]int64 // rows by file
	info   int64                 // rows that carry what TCP or Multipath TCP says
	first  sample
	last   sample
	values hosts.Values // of the last row with information

	controls []string // bounded by maxControls
	fallback bool
	idLocal  int
	idRemote int
	state    string

	figures figures

	kept   []kept // every stride-th row with counters; bounded by maxKept
	stride int64
	seen   int64 // rows with counters

	joined bool
}

// sample is where and when a row was read.
type sample struct {
	stamp int64
	at    hosts.Ref
}

func sampleOf(r *hosts.Row) sample { return sample{r.Stamp, r.Ref} }

const (
	// maxKept bounds the rows of a socket whose times are sought: 200 s of samples each 200
	// ms. Above it every second row is kept, then every fourth, and so on.
	maxKept = 1024
	// maxControls bounds the congestion controls of a socket.
	maxControls = 16
)

// counter is a counter that packets have, too.
type counter uint8

const (
	sentBytes counter = iota
	sentSegments
	ackedBytes
	receivedBytes
	numCounters
)

// kept is a row whose time is sought.
type kept struct {
	sample
	v          [numCounters]int64 // -1 for unknown
	srtt, cwnd float32
	mss        float32
}

// newSocket adds a socket without rows to a host.
func newSocket(of *host, r *hosts.Row) *socket {
	s := &socket{of: of, ends: pair{r.Local, r.Peer}, mptcp: r.MPTCP, files: map[*hosts.File]int64{}, figures: figures{}, stride: 1, idLocal: -1, idRemote: -1}
	of.sockets = append(of.sockets, s)
	return s
}

// fresh reports whether a row belongs to a later socket with the same ends.
func (s *socket) fresh(r *hosts.Row) bool {
	if s.inode != 0 && r.Inode != 0 && s.inode != r.Inode {
		return true
	}
	if s.info == 0 || !r.Info() || s.mptcp {
		return false
	}
	counting := []hosts.Field{hosts.BytesAcked, hosts.BytesReceived, hosts.BytesSent} // a later row of the same socket does not lower them
	return slices.ContainsFunc(counting, func(f hosts.Field) bool { return r.Value(f) < s.values.Value(f) })
}

// add takes a row.
func (s *socket) add(r *hosts.Row) {
	s.rows++
	s.files[r.File]++
	s.last, s.state = sampleOf(r), r.State
	if s.rows == 1 {
		s.first = s.last
	}
	if r.Inode != 0 {
		s.inode = r.Inode
	}
	if r.HasToken && r.LocalToken != 0 {
		s.token, s.hasToken = r.LocalToken, true
	}
	s.info += one(r.Info())
	s.fallback = s.fallback || r.Has(hosts.Fallback)
	if !s.mptcp && !r.Info() {
		return
	}
	s.figures.add(r, &s.values)
	s.values = r.Values
	if s.mptcp {
		return
	}
	if r.Control != "" && len(s.controls) < maxControls && !slices.Contains(s.controls, r.Control) {
		s.controls = append(s.controls, r.Control)
	}
	if r.ULP {
		s.idLocal, s.idRemote = r.LocalID, r.RemoteID
	}
	s.keep(r)
}

// keep keeps the counters of a row.
func (s *socket) keep(r *hosts.Row) {
	if s.seen++; (s.seen-1)%s.stride != 0 {
		return
	}
	if len(s.kept) == maxKept { // this row is one that stays: maxKept is even
		for i := range maxKept / 2 {
			s.kept[i] = s.kept[2*i]
		}
		s.kept, s.stride = s.kept[:maxKept/2], 2*s.stride
	}
	k := kept{sample: sampleOf(r), srtt: float32(r.Value(hosts.RTT)), cwnd: float32(r.Value(hosts.Cwnd)), mss: float32(r.Value(hosts.MSS))}
	k.v = [numCounters]int64{int64(r.Value(hosts.BytesSent)), int64(r.Value(hosts.DataSegsOut)), int64(r.Value(hosts.BytesAcked)), int64(r.Value(hosts.BytesReceived))}
	if !sentTerm().isPrinted(r.File) {
		k.v[sentBytes], k.v[sentSegments] = -1, -1
	}
	s.kept = append(s.kept, k)
}
