package report

// ShortTCP is the JSON form of a plain TCP connection whose report is short: one that
// never carried data or, with analyze --tcp summary, any. Values that are not known are
// left out. It is written on one line.
type ShortTCP struct {
	// Number of the connection among the plain TCP connections of this report, from 0.
	ID int `json:"id"`
	// True: there are no figures of directions, and no list of what is unavailable.
	Short bool `json:"short"`
	// Which of two captures alone holds it; absent where both do, and in a report on one host's capture.
	OnlyIn *Host `json:"only_in,omitempty"`
	// Who sent the SYN: "a" by definition of A; absent where no SYN was captured.
	Initiator *Side `json:"initiator,omitempty"`
	// The end at host A.
	A Endpoint `json:"a"`
	// The end at host B.
	B Endpoint `json:"b"`
	// "requested" where the SYN asked for Multipath TCP and was not granted it, else absent.
	MPTCP *Request `json:"mptcp,omitempty"`
	// Version in the MP_CAPABLE of the SYN; absent where none was captured.
	RequestedVersion *int `json:"requested_version,omitempty"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start Time `json:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
	// SYN to third ACK as seen where the capture was taken, ms; absent where the handshake was not captured whole.
	HandshakeRTT *float64 `json:"handshake_rtt_ms,omitempty"`
	// How the connection ended in this capture.
	State SubflowState `json:"state"`
	// Who ended it: the first to send a FIN or RST; absent where it was still open.
	ClosedBy *Side `json:"closed_by,omitempty"`
	// Payload bytes from A to B, each position of the stream counted once; absent where there were none.
	BytesA2B *int64 `json:"a2b_bytes,omitempty"`
	// Payload bytes from B to A, each position of the stream counted once; absent where there were none.
	BytesB2A *int64 `json:"b2a_bytes,omitempty"`
	// Why it is not Multipath TCP, as far as the capture shows.
	Verdicts List[ShortVerdict] `json:"verdicts"`
}

// ShortConnection is the JSON form of an attempt at Multipath TCP that never got
// further than its first handshake: an MP_JOIN to an unknown connection, or an
// MP_CAPABLE after whose SYN/ACK nothing came. It is also the form of a connection with
// only a few captured packets of one end and no handshake. Values that are not known
// are left out. It is written on one line.
type ShortConnection struct {
	// Number of the connection in this report, from 0.
	ID int `json:"id"`
	// True: there are no figures of directions, and no list of what is unavailable.
	Short bool `json:"short"`
	// Version of Multipath TCP: 0 (RFC 6824) or 1 (RFC 8684); absent where no option that tells it was captured.
	Version *int `json:"version,omitempty"`
	// True where mappings with DSS checksums were captured and no handshake; else absent.
	Checksum *bool `json:"checksum,omitempty"`
	// Token of A's key in hexadecimal; absent where A's key was not captured or never sent.
	TokenA *string `json:"token_a,omitempty"`
	// Token of B's key in hexadecimal; absent where B's key was not captured or never sent.
	TokenB *string `json:"token_b,omitempty"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start Time `json:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
	// How the connection ended in this capture.
	State ConnState `json:"state"`
	// Why it is short, where packets behind a handshake were captured; else absent.
	Why *string `json:"why,omitempty"`
	// Captured packets from A to B, where no handshake was captured; else absent.
	PacketsA2B *int64 `json:"a2b_packets,omitempty"`
	// Application bytes from A to B, each data sequence number counted once; absent where there were none.
	BytesA2B *int64 `json:"a2b_bytes,omitempty"`
	// The only subflow.
	Subflows List[ShortSubflow] `json:"subflows"`
	// Why it carried nothing, the most severe first.
	Verdicts List[ShortVerdict] `json:"verdicts"`
}

// ShortSubflow is the subflow of a [ShortConnection].
type ShortSubflow struct {
	// The end at host A.
	A Endpoint `json:"a"`
	// The end at host B.
	B Endpoint `json:"b"`
	// How the subflow ended in this capture.
	State SubflowState `json:"state"`
	// Reason code of MP_TCPRST (RFC 8684, Section 3.6); absent without one.
	ReasonCode *int `json:"reason_code,omitempty"`
}

// ShortVerdict is a verdict on a connection whose report is short; mpanalyze why has
// the full verdict.
type ShortVerdict struct {
	// Stable name of the reason, for programs.
	Code VerdictCode `json:"code"`
	// How much it matters.
	Severity Severity `json:"severity"`
	// Number of the first packet that proves it, from 1; absent where none does.
	Packet *int64 `json:"packet,omitempty"`
}

// Detail says how much a report has about connections.
type Detail uint8

// The details are, in this order: every connection in full; connections in full if they
// carried data or completed a handshake of Multipath TCP, others in short; all plain
// TCP in short; no plain TCP; for every connection only what one line shows, without
// verdicts and events, and for its subflows only their number and the ends of the
// first.
const (
	Full Detail = iota
	WithData
	Summary
	NoTCP
	Lines
)

// OnlyFew is the reason for a short report on a connection whose handshake was not
// captured.
const OnlyFew = "fewer than 8 packets of one end were captured, and no handshake"

// PacketsOnly returns how many packets from A to B were captured, for a connection
// whose report is short; 0 if a handshake was captured.
func (c *Connection) PacketsOnly() (n int64) {
	for i := range c.Subflows {
		if d := c.Subflows[i].A2B; d != nil {
			n += d.CapturedSegments + d.PureAcks
		}
	}
	return n
}

// ResetReason returns the reason code of the first RST with one; nil if there is none.
func (c *Connection) ResetReason() *int {
	for i := range c.Events {
		if code := c.Events[i].ReasonCode; code != nil {
			return code
		}
	}
	return nil
}

// Shorten makes the report on a plain TCP connection short.
func (c *TCP) Shorten() {
	c.Short = true
	for _, d := range []**SubDir{&c.A2B, &c.B2A} {
		if *d != nil {
			*d = &SubDir{Bytes: (*d).Bytes, BytesUnique: (*d).BytesUnique, RetransmittedBytes: (*d).RetransmittedBytes}
		}
	}
}
