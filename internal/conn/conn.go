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

// Kind says which protocol a connection uses, as far as the capture shows.
type Kind uint8

// The kinds.
const (
	Plain     Kind = iota // TCP
	Requested             // TCP whose SYN has MP_CAPABLE; becomes Plain unless the SYN/ACK has it
	Multipath             // both have MP_CAPABLE, or later packets show Multipath TCP
)

// Host is what is known of one end of a connection.
type Host struct {
	Key      uint64
	HasKey   bool
	Echoed   bool // its peer sent the key back
	Token    uint32
	HasToken bool
	Checksum bool // its MP_CAPABLE requires DSS checksums
}

// Conn is a connection: Multipath TCP, or plain TCP with a single subflow.
type Conn struct {
	ID         int // number among the connections of its kind, from 0; -1 while that is not known
	Order      int // number among all connections, in the order of creation
	Kind       Kind
	AskedMPTCP bool // the SYN of a plain connection had MP_CAPABLE
	Version    uint8
	Handshake  bool // SYN and SYN/ACK with MP_CAPABLE were captured
	Hosts      [2]Host
	Subflows   []*Subflow
	Spaces     [2]dss.Space // by the sender of the data
	Start      int64        // time of the first packet, ns
	Until      int64        // when the table ended it, ns: up to then the capture shows what happens to it

	Fallback     string       // why and since when data runs without Multipath TCP; empty if it never did
	FellBack     int64        // time of the first payload without Multipath TCP, ns; 0 if there is none
	FallbackCode FallbackCode // the cause; for a plain connection why it is not Multipath TCP, as far as the handshake shows
	Offers       [3]Offer     // MP_CAPABLE of the SYN, the SYN/ACK and the packets after them

	JoinsBeyond bool // joins were taken for plain TCP: see maxSubflows
	Fastclosed  bool
	DataFIN     [2]int64 // time of the first DATA_FIN, by its sender, ns; 0 for none
	Announced   [2]int64 // time of the last mapping of new data, by its sender, ns; 0 for none

	announcedTo    [2]seq.DSN    // end of the data that mappings announced
	finCopies      *[2]FINCopies // nil before the first DATA_FIN
	clockFault     string        // see [Conn.ClockFault]
	untimed        []uint64      // numbers of the latest packets with [packet.Untimed]; bounded by maxUntimed
	mappingsSeen   mappingsSeen  // whether mappings have checksums
	versionTold    bool          // an option other than MP_CAPABLE told the version
	failure        string        // the latest MP_FAIL, as text for the fallback that follows
	vantage        vantage
	observer       Observer        // calls all observers of the connection
	chunkObservers []ChunkObserver // those observers that also get chunks
	live           int32           // subflows that have not ended
	subflowsNoSYN  int32           // subflows whose SYN was not captured; maxNoSYN bounds those that no token proves
	noMatching     bool            // no flow is added to it by its data sequence numbers: see maxNoSYN
	finished       bool
	aside          asideAs     // whether it counts for the bounds of the table
	slot           int32       // see [grouping]
	closing        int32       // subflows among live in which each end has sent a FIN
	counted        int64       // bytes in [Table.state]
	gaps           *gaps       // nil without any
	entries        *dsnEntries // see [dsnIndex]; nil while none of its spaces is in a list
	pool           *connPool   // where [Conn.Recycle] puts it
	recycled       Observer    // see [Conn.RecycledObserver]
	links          [connListKinds]links[Conn]
}

// FINCopies counts how often a host sent its DATA_FIN.
type FINCopies struct {
	Packets  int64 // all
	Timeouts int64 // after a pause of a retransmission timeout: see leastTimeout
	last     int64 // ns
}

// leastTimeout is the least pause before a repetition by a timer, ns. The least timeout of Linux is
// 200 ms; a host also repeats a DATA_FIN at once, on several subflows.
const leastTimeout = 200e6

// FINCopies returns how often a side sent its DATA_FIN.
func (c *Conn) FINCopies(from Side) FINCopies {
	if c.finCopies == nil {
		return FINCopies{}
	}
	return c.finCopies[from]
}

// noteFIN counts a packet with a DATA_FIN.
func (c *Conn) noteFIN(from Side, at int64) {
	if c.finCopies == nil {
		c.finCopies = new([2]FINCopies)
	}
	f := &c.finCopies[from]
	if f.Packets > 0 && at-f.last >= leastTimeout {
		f.Timeouts++
	}
	f.Packets++
	f.last = at
}

// Subflow is a subflow of a connection.
type Subflow struct {
	subflow.Flow
	Conn   *Conn
	ID     int
	Ends   [2]packet.Endpoint   // by side
	Spaces [2]*dss.SubflowSpace // by the sender of the data

	Joined    bool        // it began with MP_JOIN
	NoSYN     bool        // its SYN was not captured
	Backup    bool        // a handshake option has flag B: either of BackupBy is Yes
	BackupBy  [2]Tristate // flag B of each end's MP_JOIN: the SYN's and the SYN/ACK's
	HMAC      HMAC
	AddressID [2]int // -1 = not known

	Start int64 // time of the first packet, ns

	ClosedBy   Side
	HasCloser  bool
	CloseCause string // for people

	fastOpen  *FastOpen // nil without TCP Fast Open
	synPlaced bool      // the data in the SYN has been entered

	dirs        [2]SubflowDir // by the sender
	join        joinState
	early       *[2][]earlyMapping // mappings that came before the origin was known; bounded by maxEarly each; nil where none is
	thirdSeen   bool               // the third packet of the handshake was seen
	originShown [2]bool            // by the sender: another packet of the handshake shows what the SYN, which was not captured, would
	resets      *[2][]ResetCount   // RSTs with MP_TCPRST, by the sender; bounded by maxResetCounts each; nil where none is
	icmpErrors  *[2]ICMPErrors     // by the sender of what was not delivered; nil where no ICMP message says so
	reportedRST [2]uint8           // RSTs that were reported, by the sender: rstIgnored, rstAccepted
	withdrawnAt [2]int64           // when the address of an end was withdrawn, ns; 0 = it was not
	closing     bool               // each end has sent a FIN
	ended       bool               // not counted in Conn.live any more
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

// HMAC is the result of checking the HMACs of a join or an ADD_ADDR.
type HMAC uint8

// The verdicts.
const (
	HMACNone      HMAC = iota // the initial subflow has none
	HMACUnchecked             // keys or SYN/ACK were not captured
	HMACValid                 // the SYN/ACK has a right HMAC, and the third ACK has no wrong one
	HMACInvalid
)

// initiatorAnswered reports whether the initiator sent anything but SYN and RST. An
// initiator does so only on a subflow that it regards as established.
func (s *Subflow) initiatorAnswered() bool {
	h := &s.Senders[s.Initiator]
	return h.Packets > h.SYNs+h.Resets
}

// SYNReceived reports whether the SYN/ACK is not acknowledged (RFC 9293, Section 3.3.2).
func (s *Subflow) SYNReceived() bool {
	return s.State == subflow.Open && s.SYNACK != 0 && !s.initiatorAnswered()
}

// PreEstablished reports whether the responder of a join has not confirmed the third packet: until then the initiator
// must not send data (RFC 8684, Section 3.2).
func (s *Subflow) PreEstablished() bool {
	responder := &s.Senders[s.Initiator.Other()]
	return s.State == subflow.Open && s.Joined && s.SYNACK != 0 && s.initiatorAnswered() && responder.Packets <= responder.SYNs+responder.Resets
}

// Established reports whether the three-way handshake was completed, as far as it was
// captured.
func (s *Subflow) Established() bool {
	return s.State != subflow.Refused && !s.join.stripped && (s.SYN == 0 || s.initiatorAnswered())
}

// Refused reports whether a join failed: it was reset before it was established, or
// answered without MP_JOIN.
func (s *Subflow) Refused() bool {
	return s.Joined && !s.NoSYN && (s.join.stripped || s.State == subflow.Refused || s.State == subflow.Reset && !s.initiatorAnswered())
}

// State says how a connection stands or ended.
type State uint8

// The states of a connection.
const (
	Open        State = iota
	Closed            // DATA_FIN both ways, or every subflow closed
	Fastclosed        // MP_FASTCLOSE
	WasReset          // every subflow was reset
	SYNReceived       // the SYN/ACK of the initial subflow is not acknowledged (RFC 9293, Section 3.3.2)
)

// dataClosed reports whether both DATA_FINs were acknowledged.
func (c *Conn) dataClosed() bool { return c.Spaces[A].FINAcked() && c.Spaces[B].FINAcked() }

// State returns how the connection stands. Joins that were refused or not answered
// count only if there are no other subflows.
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
	case alive > 0 && len(c.Subflows) == 1 && c.Subflows[0].SYNReceived():
		return SYNReceived
	case alive > 0:
		return Open
	case closes > 0:
		return Closed
	case resets == 0 && pending > 0:
		return Open
	}
	return WasReset
}
