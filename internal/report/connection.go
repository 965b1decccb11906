package report

// Connection is one Multipath TCP connection (RFC 8684, Section 2): its
// subflows and, per direction, what happened in its data sequence space.
type Connection struct {
	// Number of the connection in this report, from 0, by the time of its first packet; those that only the receiver's capture holds come last.
	ID int `json:"id"`
	// Version of Multipath TCP: 0 (RFC 6824) or 1 (RFC 8684), where an option that tells it was captured.
	Version *int `json:"version"`
	// Whether DSS checksums are in use (RFC 8684, Section 3.1, flag A of MP_CAPABLE), where the MP_CAPABLE of both ends or a mapping was captured.
	Checksum *bool `json:"checksum"`
	// Whether the MP_CAPABLE handshake, SYN and SYN/ACK, was captured; without it the subflows were joined because their DSNs and DATA_ACKs prove that they belong together.
	Handshake bool `json:"handshake"`
	// Who opened the connection: "a" by definition of A; null where the handshake was not captured, then A is the end whose ports are those of a client: it has several against one of the other end, or is the only one from 1024 or from 32768 on; where that does not tell, the sender of the first packet seen.
	Initiator *Side `json:"initiator" null:"none"`
	// Which of two captures alone holds it, so that its figures are those of one capture; null where both do, and in a report on one host's capture.
	OnlyIn *Host `json:"only_in" null:"none"`
	// Where the capture was taken.
	Vantage Vantage `json:"vantage"`
	// What the vantage was concluded from.
	VantageEvidence string `json:"vantage_evidence"`
	// Token of A's key in hexadecimal (RFC 8684, Section 3.2); null where A's key was not captured or never sent.
	TokenA *string `json:"token_a" null:"none"`
	// Token of B's key in hexadecimal; null where B's key was not captured or never sent.
	TokenB *string `json:"token_b" null:"none"`
	// Time of the first packet, RFC 3339 with nanoseconds: the origin of every t_s of the connection.
	Start Time `json:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
	// How the connection ended in this capture.
	State ConnState `json:"state"`
	// Why and since when data runs without Multipath TCP (RFC 8684, Section 3.7); null where it never fell back.
	Fallback *string `json:"fallback" null:"none"`
	// The cause of the fallback, for programs; null where it never fell back, or the capture cut off what would tell the cause.
	FallbackCode *FallbackCode `json:"fallback_code" null:"none"`
	Capable
	// The subflows, by the time of their first SYN in this capture; 0 is the initial one.
	Subflows List[Subflow] `json:"subflows"`
	// Application data from A to B, unless only the other direction was asked for, or is in the capture.
	A2B *ConnDir `json:"a2b"`
	// Application data from B to A, unless only the other direction was asked for, or is in the capture.
	B2A *ConnDir `json:"b2a"`
	// What happened to the connection besides the transfer of data, in order of time.
	Events List[Event] `json:"events"`
	// Events that were not listed because there were too many.
	EventsOmitted int64 `json:"events_omitted"`
	// Where packets are missing from the capture: their data was acknowledged, and they are not in the file. No time is measured across such a place.
	CaptureGaps List[CaptureGap] `json:"capture_gaps"`
	// Gaps of the capture that were not listed because there were too many.
	CaptureGapsOmitted int64 `json:"capture_gaps_omitted"`
	// Why it does not aggregate its paths, or got slow: the most severe first.
	Verdicts *List[Verdict] `json:"verdicts"`
	// What the kernels of the hosts say about the connection (--evidence); null where no records were given.
	Kernel *ConnectionKernels `json:"kernel" null:"none"`
	// Why a metric of the connection is null, by its name.
	Unavailable Reasons `json:"unavailable"`

	// Short says that the report holds only what [ShortConnection] has, and directions without figures.
	Short bool `json:"-"`
}

// Endpoint is an address and port as this capture shows them, so behind a
// translator not as the peer sees them.
type Endpoint struct {
	// IPv4 or IPv6 address.
	Addr string `json:"addr"`
	// TCP port.
	Port int `json:"port"`
}

// Subflow is one TCP connection that belongs to a Multipath TCP connection.
type Subflow struct {
	// Number of the subflow in its connection, from 0, by the time of its first SYN in this capture.
	ID int `json:"id"`
	// Which of two captures alone holds it, so that its figures are those of one capture and in no sum of the connection where that is the receiver's; null where both do, and in a report on one host's capture.
	OnlyIn *Host `json:"only_in" null:"none"`
	// Name of what it runs over: the user's label of its addresses, else the address pair.
	Path string `json:"path"`
	// Who sent its SYN; null where that was not captured.
	Initiator *Side `json:"initiator" null:"none"`
	// The end at host A.
	A Endpoint `json:"a"`
	// The end at host B.
	B Endpoint `json:"b"`
	// The end at host A as the receiver's capture shows it; null in a report on the capture of one host.
	ReceiverA *Endpoint `json:"receiver_a" null:"none"`
	// The end at host B as the receiver's capture shows it; null in a report on the capture of one host.
	ReceiverB *Endpoint `json:"receiver_b" null:"none"`
	// Whether the handshake asked to use it only as a backup (RFC 8684, Section 3.2, flag B of MP_JOIN). Later MP_PRIO options are events.
	Backup bool `json:"backup"`
	// Flag B of the MP_JOIN in the SYN: its sender wants the peer to use the subflow as a backup (RFC 8684, Section 3.2); null without that packet.
	BackupSYN *bool `json:"backup_syn" null:"none"`
	// Flag B of the MP_JOIN in the SYN/ACK, which is about the other direction; null without that packet.
	BackupSYNACK *bool `json:"backup_synack" null:"none"`
	// Whether the HMACs of MP_JOIN prove that both ends hold the keys (RFC 8684, Section 3.2).
	JoinHMAC JoinHMAC `json:"join_hmac"`
	// Address id that A gave this end of the subflow (0 on the initial one); null where no MP_JOIN of A's was captured.
	AddressIDA *int `json:"address_id_a" null:"none"`
	// Address id that B gave this end of the subflow (0 on the initial one); null where no MP_JOIN of B's was captured.
	AddressIDB *int `json:"address_id_b" null:"none"`
	// What the handshake shows of TCP Fast Open (RFC 7413); null where it shows nothing of it, and unavailable says so where its SYN or the options of that are not in the capture.
	FastOpen *FastOpen `json:"fast_open" null:"none"`
	// First packet, seconds since the connection's start.
	StartS float64 `json:"start_s"`
	// Last packet, seconds since the connection's start.
	EndS float64 `json:"end_s"`
	// SYN to third ACK as seen where the capture was taken, ms.
	HandshakeRTT *float64 `json:"handshake_rtt_ms"`
	// From the connection's MP_CAPABLE SYN to this subflow's MP_JOIN SYN, ms.
	JoinDelay *float64 `json:"join_delay_ms"`
	// How the subflow ended in this capture.
	State SubflowState `json:"state"`
	// Who ended it: the first to send a FIN or RST; null where it was still open.
	ClosedBy *Side `json:"closed_by" null:"none"`
	// How it was ended: "rm_addr" where the address of an end had been withdrawn by REMOVE_ADDR (RFC 8684, Section 3.4.2), else for people: FIN, RST with its reason (RFC 8684, Section 3.6), silence; null where it was still open.
	CloseReason *string `json:"close_reason" null:"none"`
	// TCP segments from A to B, unless only the other direction was asked for, or is in the capture.
	A2B *SubDir `json:"a2b"`
	// TCP segments from B to A, unless only the other direction was asked for, or is in the capture.
	B2A *SubDir `json:"b2a"`
	// What the kernels of the hosts say about the subflow (--evidence); null where no records were given.
	Kernel *SubflowKernels `json:"kernel" null:"none"`
	// Why a metric of the subflow is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// FastOpen is what the handshake of a subflow shows of TCP Fast Open (RFC 7413).
type FastOpen struct {
	// Whether the SYN asks for a cookie.
	CookieRequest bool `json:"cookie_request"`
	// The cookie of the SYN in hexadecimal; null where it has none.
	Cookie *string `json:"cookie" null:"none"`
	// The cookie that the SYN/ACK gives, in hexadecimal; null where it gives none.
	CookieGiven *string `json:"cookie_given" null:"none"`
	// Whether the option is the experimental one, of kind 254 with the identifier 0xF989, and not that of kind 34.
	Experimental bool `json:"experimental"`
	// Payload of the SYN, bytes. Of Multipath TCP it has no DSN: the first byte behind it is the first of the data sequence space (RFC 8684, Appendix B.2).
	SYNBytes int64 `json:"syn_bytes"`
	// The part of syn_bytes that the responder accepted; bytes of the subflow and of the connection count it, without the message of convert. null where the capture shows neither the SYN/ACK nor what the initiator sent next.
	AcceptedBytes *int64 `json:"accepted_bytes" null:"none"`
	// The message of the 0-RTT TCP Convert Protocol in the SYN (RFC 8803); null where it has none.
	Convert *Convert `json:"convert" null:"none"`
}

// Convert is a request to a converter for a connection to a server, and the answer (RFC 8803, Section 4).
type Convert struct {
	// The server; null where the request names none.
	Peer *Endpoint `json:"peer" null:"none"`
	// Length of the request, bytes: a part of syn_bytes that is not of the application, so bytes of the connection do not count it.
	Bytes int64 `json:"bytes"`
	// Length of the answer in the SYN/ACK, bytes; null where none was captured.
	AnswerBytes *int64 `json:"answer_bytes" null:"none"`
	// Why the converter did not connect; null where the answer has no Error TLV.
	Error *string `json:"error" null:"none"`
}

// TCP is a connection that does not use Multipath TCP.
type TCP struct {
	// Number of the connection among the plain TCP connections of this report, from 0.
	ID int `json:"id"`
	// Which of two captures alone holds it, so that its figures are those of one capture; null where both do, and in a report on one host's capture.
	OnlyIn *Host `json:"only_in" null:"none"`
	// Name of what it runs over: the user's label of its addresses, else the address pair.
	Path string `json:"path"`
	// Who sent the SYN: "a" by definition of A; null where no SYN was captured, then A is the sender of the first packet seen.
	Initiator *Side `json:"initiator" null:"none"`
	// The end at host A.
	A Endpoint `json:"a"`
	// The end at host B.
	B Endpoint `json:"b"`
	// The end at host A as the receiver's capture shows it; null in a report on the capture of one host.
	ReceiverA *Endpoint `json:"receiver_a" null:"none"`
	// The end at host B as the receiver's capture shows it; null in a report on the capture of one host.
	ReceiverB *Endpoint `json:"receiver_b" null:"none"`
	// "requested" where the SYN asked for Multipath TCP and the SYN/ACK did not grant it, else null; unavailable says so where the SYN's options are not in the capture.
	MPTCP *Request `json:"mptcp" null:"none"`
	// The cause of the fallback of a connection that asked for Multipath TCP, for programs; null where it did not ask, or where no answer came.
	FallbackCode *FallbackCode `json:"fallback_code" null:"none"`
	Capable
	// What the handshake shows of TCP Fast Open (RFC 7413); null where it shows nothing of it, and unavailable says so where its SYN or the options of that are not in the capture.
	FastOpen *FastOpen `json:"fast_open" null:"none"`
	// Where the capture was taken.
	Vantage Vantage `json:"vantage"`
	// What the vantage was concluded from.
	VantageEvidence string `json:"vantage_evidence"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start Time `json:"start"`
	// First packet, seconds since the connection's start: 0.
	StartS float64 `json:"start_s"`
	// Last packet, seconds since the connection's start.
	EndS float64 `json:"end_s"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
	// SYN to third ACK as seen where the capture was taken, ms.
	HandshakeRTT *float64 `json:"handshake_rtt_ms"`
	// How the connection ended in this capture.
	State SubflowState `json:"state"`
	// Who ended it: the first to send a FIN or RST; null where it was still open.
	ClosedBy *Side `json:"closed_by" null:"none"`
	// How it was ended, for people; null where it was still open.
	CloseReason *string `json:"close_reason" null:"none"`
	// Where packets are missing from the capture: see the field of connections.
	CaptureGaps List[CaptureGap] `json:"capture_gaps"`
	// Gaps of the capture that were not listed because there were too many.
	CaptureGapsOmitted int64 `json:"capture_gaps_omitted"`
	// Why it is not Multipath TCP, as far as the capture shows.
	Verdicts List[Verdict] `json:"verdicts"`
	// TCP segments from A to B, unless only the other direction was asked for, or is in the capture.
	A2B *SubDir `json:"a2b"`
	// TCP segments from B to A, unless only the other direction was asked for, or is in the capture.
	B2A *SubDir `json:"b2a"`
	// What the kernels of the hosts say about the connection (--evidence); null where no records were given.
	Kernel *TCPKernels `json:"kernel" null:"none"`
	// Why a metric of the connection is null, by its name.
	Unavailable Reasons `json:"unavailable"`

	// Short says that the report holds only what [ShortTCP] has; of a direction it has the bytes.
	Short bool `json:"-"`
}

// Asked returns, for people, whether the connection asked for Multipath TCP. If that is
// not known, why is the reason, otherwise empty.
func (c *TCP) Asked() (text, why string) {
	if c.MPTCP != nil {
		return string(*c.MPTCP), ""
	}
	if why, unknown := c.Unavailable.Of("mptcp"); unknown {
		return "not known", why
	}
	return "not asked for", ""
}

// Event is something that happened to a connection besides the transfer of data.
type Event struct {
	// Seconds since the connection's start.
	TS float64 `json:"t_s"`
	// Id of the subflow it happened on; null where it concerns none, or all.
	Subflow *int `json:"subflow" null:"none"`
	// Direction of the packet; for rb2loc and handover the direction of the data; null where no single packet is meant.
	Direction *Direction `json:"direction" null:"none"`
	// Number of the packet in the analysis, from 1, over all files of one host; null where no single packet is meant.
	Packet *int64 `json:"packet" null:"none"`
	// What happened.
	Kind EventKind `json:"kind"`
	// Details, for people.
	Detail string `json:"detail"`
	// What the event rests on: "kernel" where a record of a host says it; null where packets show it.
	Evidence *Evidence `json:"evidence" null:"none"`
	EventFacts
}

// CaptureGap is a place at which packets of a connection are missing from the capture: their
// data was acknowledged, and they are not in the file. They were not lost in the network.
type CaptureGap struct {
	// The latest packet captured before the missing ones, as the subflows that lack data show it.
	Before GapEnd `json:"before"`
	// The first packet after them that shows that they are missing.
	After GapEnd `json:"after"`
	// From the packet before to the packet after, seconds.
	DurationS float64 `json:"duration_s"`
	// What is known to be missing, by subflow and direction.
	Missing List[GapBytes] `json:"missing"`
}

// GapEnd is a packet beside a gap of the capture.
type GapEnd struct {
	// Number of the packet in the capture.
	Packet int64 `json:"packet"`
	// Its time, seconds since the connection's start.
	TS float64 `json:"t_s"`
}

// GapBytes is the data of one direction of a subflow that is missing in a gap.
type GapBytes struct {
	// Number of the subflow.
	Subflow int `json:"subflow"`
	// Direction of the data.
	Direction Direction `json:"direction"`
	// Bytes of the TCP stream that were acknowledged and not captured.
	Bytes int64 `json:"bytes"`
}
