package tracegen

import (
	"net/netip"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Dir is a direction: A2B from host A, which opened the connection, to host B, or B2A back.
type Dir uint8

// The directions.
const (
	A2B Dir = iota
	B2A
)

// Opposite returns the other direction.
func (d Dir) Opposite() Dir { return 1 - d }

// Config has the properties of a whole session. Pairs are indexed by direction or by host,
// A first.
type Config struct {
	Version uint8     // 0 (RFC 6824) or 1 (RFC 8684)
	Keys    [2]uint64 // 0 means a fixed key for each host
	// IDSN overrides the initial data sequence numbers that the keys give. A capture with
	// the handshake would contradict itself; so use it only for captures that begin later.
	IDSN     [2]uint64
	Plain    bool // plain TCP: no MPTCP option at all
	Checksum bool // DSS checksums required by both hosts
	DSN4     bool // DSNs of 4 bytes in mappings
	DataAck4 bool // DATA_ACKs of 4 bytes
	// DataSeqOnly leaves the DATA_ACK out of segments that carry a mapping.
	DataSeqOnly bool
	// SSNFromISN makes DSS options count subflow sequence numbers from the initial sequence
	// number even if the SYN carries data. Linux counts from the end of that data.
	SSNFromISN   bool
	NoTimestamps bool
	NoSACK       bool
	// AckEvery makes a host acknowledge by itself: each time that so many segments have
	// arrived, and at once what arrives out of order or again. Fewer segments are
	// acknowledged 40 ms later. With 0 only the script acknowledges.
	AckEvery int
	// HeaderOnly keeps so many bytes of each payload; 0 keeps all. It saves time if the
	// capture is cut anyway.
	HeaderOnly int
}

// The keys of hosts by default.
const (
	DefaultKeyA = 0x0123456789abcdef
	defaultKeyB = 0xfedcba9876543210
)

// dataSpace is one direction of a connection's data sequence space.
type dataSpace struct {
	idsn uint64
	got  seq.Set[seq.DSN] // what the receiver has; the IDSN itself counts as received
}

// dsn returns the data sequence number on the wire of a position.
func (d *dataSpace) dsn(at seq.DSN) uint64 { return d.idsn + uint64(at) }

// Session is a scripted connection.
type Session struct {
	net      *Network
	cfg      Config
	keys     [2]uint64
	data     [2]dataSpace
	subflows []*Subflow
}

// NewSession returns a session on a network of its own; see [Network.Session].
func NewSession(cfg Config) *Session { return NewNetwork(time.Time{}).Session(cfg) }

// Session adds a session to the network.
func (n *Network) Session(cfg Config) *Session {
	s := &Session{net: n, cfg: cfg, keys: cfg.Keys}
	for h, def := range [2]uint64{DefaultKeyA, defaultKeyB} {
		if s.keys[h] == 0 {
			s.keys[h] = def
		}
		s.data[h].idsn = cfg.IDSN[h]
		if s.data[h].idsn == 0 {
			s.data[h].idsn = mptcp.IDSN(cfg.Version, s.keys[h])
		}
		s.data[h].got.Add(seq.Range[seq.DSN]{Start: 0, End: 1})
	}
	return s
}

// Network returns the network that the session is on.
func (s *Session) Network() *Network { return s.net }

// Key returns the key of the host that sends in direction d.
func (s *Session) Key(d Dir) uint64 { return s.keys[d] }

// Token returns the token of the host that sends in direction d.
func (s *Session) Token(d Dir) uint32 { return mptcp.Token(s.cfg.Version, s.keys[d]) }

// IDSN returns the initial data sequence number of direction d.
func (s *Session) IDSN(d Dir) uint64 { return s.data[d].idsn }

// DSN returns the data sequence number of an offset in the application stream of direction
// d. The first byte has IDSN + 1 (RFC 8684, Section 3.1).
func (s *Session) DSN(d Dir, offset int64) uint64 { return s.data[d].dsn(seq.DSN(offset + 1)) }

// Packets returns what a view of the session's network saw.
func (s *Session) Packets(v View) []Packet { return s.net.Packets(v) }

// Path has the properties of a subflow and of its path. Pairs are indexed by direction or
// by host, A first.
type Path struct {
	A, B  netip.AddrPort
	ISN   [2]seq.Wire
	Delay [2]time.Duration // one-way delay; 0 means 10 ms
	Nonce [2]uint32        // of MP_JOIN
	ID    [2]uint8         // address ids in MP_JOIN
	// FromB makes host B open the subflow.
	FromB  bool
	Backup bool   // B flag of both hosts in MP_JOIN
	WScale uint8  // window scale of both hosts; 0 means 7
	Window uint32 // receive window of both hosts, bytes; 0 means 1 MiB
	MSS    uint16 // bytes; 0 means 1460
}

// Subflow is one TCP connection of a session.
type Subflow struct {
	session *Session
	path    Path
	first   bool
	half    [2]half
	ipid    [2]uint16
	syn     int // bytes of data in the SYN that the responder accepts
}

// half is one direction of a subflow: what its sender has used and what its receiver has
// received. Positions count from the initial sequence number.
type half struct {
	next seq.SSN // first position that the script has not used
	sent seq.SSN // first position that is not sent yet

	got     seq.Set[seq.SSN]
	recent  []seq.SSN // positions that arrived out of order, latest first, at most 4 * maxBlocks
	again   seq.Range[seq.SSN]
	unacked int // segments that arrived and wait for an acknowledgment
	acked   seq.SSN
	tsEcho  uint32
}

// cumulative returns the first position that has not arrived.
func (h *half) cumulative() seq.SSN { return h.got.FirstGap(0) }

// Subflow adds a subflow. The first one is the initial subflow, the others join.
func (s *Session) Subflow(p Path) *Subflow {
	for d := range p.Delay {
		if p.Delay[d] == 0 {
			p.Delay[d] = 10 * time.Millisecond
		}
	}
	if p.WScale == 0 {
		p.WScale = 7
	}
	if p.Window == 0 {
		p.Window = 1 << 20
	}
	if p.MSS == 0 {
		p.MSS = 1460
	}
	f := &Subflow{session: s, path: p, first: len(s.subflows) == 0}
	f.half[A2B].next, f.half[B2A].next = 1, 1
	s.subflows = append(s.subflows, f)
	return f
}

// Path returns the path of the subflow, with the defaults filled in.
func (f *Subflow) Path() Path { return f.path }

// Assume makes both hosts consider the subflow established without a handshake, for
// captures that begin later.
func (f *Subflow) Assume() {
	for d := range f.half {
		f.half[d].got.Add(seq.Range[seq.SSN]{Start: 0, End: 1})
		f.half[d].acked, f.half[d].sent = 1, 1
	}
}

// opener returns the direction of the first SYN of the subflow.
func (f *Subflow) opener() Dir {
	if f.path.FromB {
		return B2A
	}
	return A2B
}

// ends returns source and destination of a direction.
func (f *Subflow) ends(d Dir) (src, dst netip.AddrPort) {
	if d == A2B {
		return f.path.A, f.path.B
	}
	return f.path.B, f.path.A
}
