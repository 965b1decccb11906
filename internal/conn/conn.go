package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Side is an end of a connection: A sent the first SYN of subflow 0.
type Side = subflow.Side

// The ends.
const (
	A = subflow.A
	B = subflow.B
)

// Kind is what a TCP connection has shown itself to be.
type Kind uint8

// The kinds.
const (
	Plain     Kind = iota // TCP
	Requested             // TCP whose SYN asks for Multipath TCP; Plain in the end unless the SYN/ACK grants it
	Multipath             // SYN and SYN/ACK carry MP_CAPABLE, or Multipath TCP seen from the middle on
)

// Host is what is known of one end of a connection.
type Host struct {
	Key      uint64
	HasKey   bool
	Token    uint32
	HasToken bool
	Checksum bool // its MP_CAPABLE asks for DSS checksums
}

// Conn is one connection: Multipath TCP, or plain TCP with its only subflow.
type Conn struct {
	ID         int // among connections of its kind; -1 while that is not known
	Order      int // order of creation, over all kinds
	Kind       Kind
	AskedMPTCP bool // the SYN of a plain connection asked for Multipath TCP
	Version    uint8
	Handshake  bool // SYN and SYN/ACK with MP_CAPABLE were captured
	Hosts      [2]Host
	Subflows   []*Subflow
	Spaces     [2]dss.Space // by the sender of the data
	Start      int64        // first packet, ns

	Fallback     string       // why and since when data runs without Multipath TCP; empty if it never did
	FellBack     int64        // time of the first payload that did, ns; 0 if none did
	FallbackCode FallbackCode // the cause; of a plain connection why it is none of Multipath TCP, as far as the handshake tells
	Offers       [3]Offer     // MP_CAPABLE of the SYN, the SYN/ACK and the packets after them

	Fastclosed bool
	DataFIN    [2]int64 // time of the first DATA_FIN by its sender, ns; 0 for none

	clockFault     string       // see [Conn.ClockFault]
	mappingsSeen   mappingsSeen // what mappings say of checksums
	versionTold    bool         // by an option other than MP_CAPABLE
	failure        string       // the latest MP_FAIL, for the fallback that follows
	vantage        vantage
	observer       Observer        // all that follow it
	chunkObservers []ChunkObserver // those of them that want to be told of chunks
	live           int             // subflows that have not ended
	subflowsNoSYN  int             // subflows whose SYN was not captured; bounded by maxHeadless, and what tokens add
	noMatching     bool            // no other subflow is looked for by its numbers: see maxHeadless
	slot           int32           // see [grouping]
	finished       bool
	entries        *dsnEntries // see [dsnIndex]; nil while none of its spaces is listed
	pool           *connPool   // of its table, for [Conn.Recycle]
	recycled       Observer    // see [Conn.RecycledObserver]
	links          [listKinds]listLinks
}

// Subflow is one subflow of a connection.
type Subflow struct {
	subflow.Flow
	Conn   *Conn
	ID     int
	Ends   [2]packet.Endpoint   // by side
	Spaces [2]*dss.SubflowSpace // by the sender of the data

	Joined    bool        // by MP_JOIN
	NoSYN     bool        // its SYN was not captured
	Backup    bool        // as the handshake says: either of BackupBy is Yes
	BackupBy  [2]Tristate // flag B of each end's MP_JOIN: the SYN's and the SYN/ACK's
	HMAC      HMAC
	AddressID [2]int // -1 = not told

	Start int64 // first packet, ns

	ClosedBy   Side
	HasCloser  bool
	CloseCause string // for people

	fastOpen  *FastOpen   // nil without TCP Fast Open
	synPlaced bool        // the data in the SYN has its place
	ssnBase   [2]seq.Wire // by the sender: what a SSN of its DSS options lies behind, besides the ISN

	dirs        [2]Direction // by the sender
	join        joinState
	early       *[2][]earlyMapping // mappings from before the origin was known; bounded by maxEarly each; nil where none is
	thirdSeen   bool               // the third packet of the handshake was seen
	resets      *[2][]ResetCount   // RSTs with MP_TCPRST, by the sender; bounded by maxResetCounts each; nil where none is
	reportedRST [2]uint8           // RSTs that were reported, by the sender: toldIgnored, toldReset
	withdrawnAt [2]int64           // when the address of an end was withdrawn, ns; 0 = it was not
	ended       bool               // counted out of the live subflows
}

// Last returns the time of the subflow's latest packet, ns.
func (s *Subflow) Last() int64 {
	return max(s.dirs[A].lastSlow, s.dirs[B].lastSlow, s.Senders[A].Last(), s.Senders[B].Last())
}

// Last returns the time of the connection's latest packet, ns.
func (c *Conn) Last() int64 {
	last := c.Start
	for _, s := range c.Subflows {
		last = max(last, s.Last())
	}
	return last
}

// HMAC is the verdict on the authentication of a join.
type HMAC uint8

// The verdicts.
const (
	HMACNone      HMAC = iota // the initial subflow has none
	HMACUnchecked             // keys or SYN/ACK were not captured
	HMACValid                 // the SYN/ACK's holds and no third ACK contradicts it
	HMACInvalid
)

// spoke reports whether the initiator sent anything but SYN and RST: it then
// held the subflow for established.
func (s *Subflow) spoke() bool {
	h := &s.Senders[s.Initiator]
	return h.Packets > h.SYNs+h.Resets
}

// Established reports whether the three-way handshake of the subflow, as far
// as it was captured, went through.
func (s *Subflow) Established() bool {
	return s.State != subflow.Refused && !s.join.stripped && (s.SYN == 0 || s.spoke())
}

// Refused reports whether a join came to nothing: reset before it was
// established, or answered without MP_JOIN.
func (s *Subflow) Refused() bool {
	return s.Joined && !s.NoSYN && (s.join.stripped || s.State == subflow.Refused || s.State == subflow.Reset && !s.spoke())
}

// State is how a connection stands or ended.
type State uint8

// The states of a connection.
const (
	Open       State = iota
	Closed           // DATA_FIN both ways, or every subflow closed
	Fastclosed       // MP_FASTCLOSE
	WasReset         // every subflow was reset
)

// dataClosed reports whether both DATA_FINs were acknowledged.
func (c *Conn) dataClosed() bool { return c.Spaces[A].FINAcked() && c.Spaces[B].FINAcked() }

// State tells how the connection stands. Joins that were refused or not
// answered have no say in it, unless there is nothing else.
func (c *Conn) State() State {
	switch {
	case c.Fastclosed:
		return Fastclosed
	case c.dataClosed():
		return Closed
	}
	alive, resets, closes, pending := 0, 0, 0, 0
	for _, s := range c.Subflows {
		switch {
		case s.Joined && s.State == subflow.Opening:
			pending++
		case s.Refused():
		case !s.Done():
			alive++
		case s.State == subflow.Closed:
			closes++
		default:
			resets++
		}
	}
	switch {
	case alive > 0:
		return Open
	case closes > 0:
		return Closed
	case resets == 0 && pending > 0:
		return Open
	}
	return WasReset
}
