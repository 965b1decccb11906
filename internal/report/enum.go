package report

// Side is one of the two hosts of a connection.
type Side string

// The hosts. A sent the first SYN of subflow 0.
const (
	SideA Side = "a"
	SideB Side = "b"
)

// Direction is the way that data travels.
type Direction string

// The directions.
const (
	A2B Direction = "a2b"
	B2A Direction = "b2a"
)

// Vantage is where a capture was taken.
type Vantage string

// The vantage points.
const (
	VantageA       Vantage = "a"
	VantageB       Vantage = "b"
	VantageMiddle  Vantage = "middle"
	VantageUnknown Vantage = "unknown"
)

// ConnState is how a Multipath TCP connection ended in the capture.
type ConnState string

// The states of a connection: DATA_FIN both ways (RFC 8684, Section 3.3.3),
// MP_FASTCLOSE (Section 3.5), every subflow reset, or none of these; a SYN/ACK without an answer;
// unknown where the capture has one direction alone.
const (
	ConnClosed      ConnState = "closed"
	ConnFastclosed  ConnState = "fastclosed"
	ConnReset       ConnState = "reset"
	ConnOpen        ConnState = "open"
	ConnSYNReceived ConnState = "syn_received"
	ConnUnknown     ConnState = "unknown"
)

// SubflowState is how a TCP connection ended in the capture.
type SubflowState string

// The states of a TCP connection: FIN both ways, FIN one way, RST, none of
// these; a SYN answered by a RST, or a join that was reset before it was
// established; a SYN without an answer; a SYN/ACK without one; the third packet of a join without
// the fourth, so that it may not carry data yet (RFC 8684, Section 3.2); unknown where the capture has one direction alone.
const (
	SubflowClosed         SubflowState = "closed"
	SubflowHalfClosed     SubflowState = "half_closed"
	SubflowReset          SubflowState = "reset"
	SubflowOpen           SubflowState = "open"
	SubflowRefused        SubflowState = "refused"
	SubflowUnanswered     SubflowState = "unanswered"
	SubflowSYNReceived    SubflowState = "syn_received"
	SubflowPreEstablished SubflowState = "pre_established"
	SubflowUnknown        SubflowState = "unknown"
)

// JoinHMAC is the verdict on the authentication of an MP_JOIN handshake
// (RFC 8684, Section 3.2).
type JoinHMAC string

// The verdicts: the SYN/ACK's HMAC holds and no third ACK contradicts it; one
// of the two is wrong; keys or the SYN/ACK are not in the capture; the subflow
// is the initial one and has no HMAC.
const (
	HMACValid     JoinHMAC = "valid"
	HMACInvalid   JoinHMAC = "invalid"
	HMACUnchecked JoinHMAC = "unchecked"
	HMACNone      JoinHMAC = "none"
)

// Host is whose capture a file is where both ends were captured.
type Host string

// The hosts, by who sends most of the data.
const (
	SenderHost   Host = "sender"
	ReceiverHost Host = "receiver"
)

// Request says whether a plain TCP connection asked for Multipath TCP.
type Request string

// Requested: the SYN carries MP_CAPABLE, the SYN/ACK does not.
const Requested Request = "requested"

// Evidence is the kind of evidence for a figure.
type Evidence string

// The kinds of evidence: seen in this capture at the right vantage; through timestamps
// or half round trips; deduced, as loss is from retransmissions; gaps filled by a later
// copy; the scheduler's order, where the receiver's order is not known; two captures
// compared; a formula reconstructed from a paper; what the kernel of a host printed.
const (
	Observed      Evidence = "observed"
	Echo          Evidence = "echo"
	Inferred      Evidence = "inferred"
	Holes         Evidence = "holes"
	SendOrder     Evidence = "send_order"
	Matched       Evidence = "matched"
	Reconstructed Evidence = "reconstructed"
	FromKernel    Evidence = "kernel"
)

// ChunkKind is what the bytes of a chunk are.
type ChunkKind string

// The kinds of chunk: bytes sent for the first time; bytes whose subflow
// positions were sent before; bytes whose data sequence numbers were sent
// before at other subflow positions; a chunk that is partly one, partly
// another.
const (
	ChunkFirst          ChunkKind = "first"
	ChunkRetransmission ChunkKind = "retransmission"
	ChunkReinjection    ChunkKind = "reinjection"
	ChunkMixed          ChunkKind = "mixed"
)

// EventKind names what happened. Further kinds may be added.
type EventKind string

// The kinds of event.
const (
	EventJoin               EventKind = "join"
	EventJoinRefused        EventKind = "join_refused"
	EventAttached           EventKind = "subflow_attached" // without its handshake, by what its DSNs and DATA_ACKs prove
	EventFastOpen           EventKind = "fast_open"        // data in the SYN was accepted (RFC 7413)
	EventConvert            EventKind = "convert"          // a message of the 0-RTT TCP Convert Protocol passed (RFC 8803)
	EventAddAddr            EventKind = "add_addr"
	EventAddAddrEcho        EventKind = "add_addr_echo"
	EventRemoveAddr         EventKind = "remove_addr"
	EventPrio               EventKind = "mp_prio"
	EventFail               EventKind = "mp_fail"
	EventFastclose          EventKind = "fastclose"
	EventReset              EventKind = "rst"
	EventFin                EventKind = "fin"
	EventDataFin            EventKind = "data_fin"
	EventFallback           EventKind = "fallback"
	EventInfiniteMapping    EventKind = "infinite_mapping"
	EventChecksumError      EventKind = "checksum_error"
	EventHMACError          EventKind = "hmac_error"
	EventMappingConflict    EventKind = "mapping_conflict"
	EventUnmappedData       EventKind = "unmapped_data"
	EventMalformedOption    EventKind = "malformed_option"
	EventUnknownOption      EventKind = "unknown_option"
	EventZeroWindow         EventKind = "zero_window"
	EventICMP               EventKind = "icmp" // a router or host says that a packet of the direction was not delivered
	EventHandover           EventKind = "handover"
	EventReceiveBufferBlock EventKind = "rb2loc"
	EventClockStepped       EventKind = "clock_stepped"
	EventPacketsOutOfOrder  EventKind = "packets_out_of_order" // the first of a connection
	EventPMAnnounced        EventKind = "pm_announced"         // what the path manager of a host says (--evidence), from here on
	EventPMRemoved          EventKind = "pm_removed"
	EventPMEstablished      EventKind = "pm_subflow_established"
	EventPMClosed           EventKind = "pm_subflow_closed"
	EventPMPriority         EventKind = "pm_priority"
)
