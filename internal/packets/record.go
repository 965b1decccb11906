package packets

// The values of [Record.Schema] and [EventLine.Schema].
const (
	schemaName      = "mpanalyze.packets/1"
	eventSchemaName = "mpanalyze.events/1"
)

// Record is one packet as a line of JSON. What does not apply to a packet, or is not
// known, is left out.
type Record struct {
	// Name and version of this form: mpanalyze.packets/1.
	Schema string `json:"schema"`
	// Number of the packet in the analysis, from 1, over all files.
	Packet uint64 `json:"packet,omitempty"`
	// Capture time, RFC 3339 with nanoseconds.
	Time string `json:"time,omitempty"`
	// Seconds since the first packet of the connection.
	TS *float64 `json:"t_s,omitempty"`
	// Which protocol the connection uses: "mptcp" or "tcp".
	Kind string `json:"kind"`
	// Number of the connection among those of its kind in the report; left out where the capture ended before it was known.
	Connection *int `json:"connection,omitempty"`
	// Number of the subflow in its connection, from 0.
	Subflow int `json:"subflow"`
	// Direction of the packet: "a2b" or "b2a"; A sent the first SYN of subflow 0.
	Direction string `json:"direction"`
	// Address and port of the sender; the port is left out with --normalise.
	From string `json:"from"`
	// Address and port of the receiver; the port is left out with --normalise.
	To string `json:"to"`
	// Control bits of the TCP header; empty for an ICMP error, which has an event and no TCP header.
	Flags []string `json:"flags"`
	// Sequence number of the TCP header; relative to the initial one with --normalise.
	Seq *int64 `json:"seq,omitempty"`
	// Acknowledgment number of the TCP header; relative to the initial number of the other end with --normalise.
	Ack *int64 `json:"ack,omitempty"`
	// Window of the TCP header, not scaled.
	Window *uint16 `json:"window,omitempty"`
	// Payload, bytes.
	Length uint32 `json:"length"`
	// Position of the payload in the stream of the subflow: its first byte and the byte
	// behind its last, counted from 1.
	SSN *[2]int64 `json:"ssn,omitempty"`
	// Positions of the payload in the stream of the connection, a pair for each contiguous
	// part: its first byte and the byte behind its last, counted from 1.
	DSN [][2]int64 `json:"dsn,omitempty"`
	// Mapping that the packet announces.
	Mapping *Mapping `json:"mapping,omitempty"`
	// Remarkable properties of the payload: stray, retransmission, reinjection,
	// reinjection_same_subflow, data_fin, congestion_experienced.
	Marks []string `json:"marks,omitempty"`
	// Packets that carried the data of a retransmission or reinjection for the first time,
	// as far as that data is in flight or was acknowledged lately.
	Original []uint64 `json:"original,omitempty"`
	// DATA_ACK, as a position in the stream of the other end, counted from 1.
	DataAck *int64 `json:"data_ack,omitempty"`
	// Time between the data that the packet acknowledges and the packet, both at the place
	// of the capture, ms.
	RTT *float64 `json:"rtt_ms,omitempty"`
	// DSS checksums whose verdict is known with this packet.
	Checksums []Checksum `json:"checksums,omitempty"`
	// MPTCP options: the DSS first, the others in their order.
	Options []Option `json:"options,omitempty"`
	// TLVs of the 0-RTT TCP Convert Protocol in the payload of a SYN or SYN/ACK (RFC 8803).
	Convert []ConvertTLV `json:"convert,omitempty"`
	// Events at the packet other than the flow of data.
	Events []Event `json:"events,omitempty"`
}

// Mapping is a mapping that a packet announces.
type Mapping struct {
	// Position of its first byte in the stream of the connection, counted from 1.
	DSN int64 `json:"dsn"`
	// Position of its first byte in the stream of the subflow, counted from 1; left out where the origin of the subflow is not known.
	SSN *int64 `json:"ssn,omitempty"`
	// Bytes of payload, a DATA_FIN not counted.
	Length int64 `json:"length"`
	// Whether it has no end: a fallback to TCP.
	Infinite bool `json:"infinite,omitempty"`
	// Whether a DATA_FIN ends it.
	DataFIN bool `json:"data_fin,omitempty"`
}

// Checksum is the verdict on the DSS checksum of a mapping.
type Checksum struct {
	// Number of the packet that announced the mapping; left out with --normalise.
	Packet uint64 `json:"packet,omitempty"`
	// Verdict: "valid", "invalid", or "not_captured" where payload under the mapping is missing.
	Verdict string `json:"verdict"`
}

// ConvertTLV is one part of a message of the Convert Protocol.
type ConvertTLV struct {
	// Name of its type (RFC 8803, Section 4.2); "TLV 40" where it has none.
	Type string `json:"type"`
	// Address and port of the server of a Connect TLV, the words of an Error TLV, else the captured bytes in hexadecimal.
	Value string `json:"value"`
}

// Option is an MPTCP option (RFC 6824, RFC 8684, Section 3). Numbers are as on the wire.
type Option struct {
	// Name of the subtype in the RFCs, such as "MP_JOIN"; "subtype 9" where they have none.
	Subtype string `json:"subtype"`
	// Why the option has no legal form; raw then has its bytes.
	Error string `json:"error,omitempty"`
	// Bytes of an option that is unknown or has no legal form, in hexadecimal, with kind
	// and length.
	Raw string `json:"raw,omitempty" text:"raw"`
	// Version of MP_CAPABLE, or the one whose form an ADD_ADDR has.
	Version *int `json:"version,omitempty" text:"v"`
	// Flags that are set, by their letters in the RFCs: A to H of MP_CAPABLE, F, m, M, a, A of DSS, B of MP_JOIN and MP_PRIO, E of ADD_ADDR, U, V, W, T of MP_TCPRST.
	Flags *string `json:"flags,omitempty" text:"flags"`
	// Key of the sender of MP_CAPABLE, in hexadecimal.
	SenderKey string `json:"sender_key,omitempty" text:"key.."`
	// Token that follows from the sender's key, in hexadecimal.
	SenderToken string `json:"sender_token,omitempty" text:"sender_token"`
	// Key of the receiver, of MP_CAPABLE or MP_FASTCLOSE, in hexadecimal.
	ReceiverKey string `json:"receiver_key,omitempty" text:"peer_key.."`
	// Token of MP_JOIN, in hexadecimal.
	Token string `json:"token,omitempty" text:"token"`
	// Address id of MP_JOIN, ADD_ADDR, or MP_PRIO of version 0.
	AddressID *int `json:"address_id,omitempty" text:"id"`
	// Address ids of REMOVE_ADDR.
	AddressIDs []int `json:"address_ids,omitempty" text:"id"`
	// Address of ADD_ADDR.
	Address string `json:"address,omitempty" text:"addr"`
	// Port of ADD_ADDR.
	Port string `json:"port,omitempty" text:"port"`
	// Nonce of MP_JOIN, in hexadecimal.
	Nonce string `json:"nonce,omitempty" text:"nonce"`
	// HMAC of MP_JOIN or ADD_ADDR, as many bytes as the option carries, in hexadecimal.
	HMAC string `json:"hmac,omitempty" text:"hmac.."`
	// Whether that HMAC proves the keys: "valid", "invalid", or "unchecked" where the keys
	// were not captured. For MP_JOIN it is the verdict on the join so far.
	HMACVerdict string `json:"hmac_verdict,omitempty" text:"hmac_verdict"`
	// DATA_ACK of DSS.
	DataAck *uint64 `json:"data_ack,omitempty" text:"ack"`
	// Data sequence number of DSS, or of MP_FAIL; left out with --normalise.
	DSN *uint64 `json:"dsn,omitempty" text:"dsn"`
	// Subflow sequence number of DSS, relative to the initial one.
	SSN *uint32 `json:"ssn,omitempty" text:"ssn"`
	// Data-level length of DSS or MP_CAPABLE, a DATA_FIN counted; 0 is an infinite mapping.
	DataLength *int `json:"data_length,omitempty" text:"len"`
	// Checksum of DSS or MP_CAPABLE, in hexadecimal; its verdict is in checksums, of this packet or of a later one.
	Checksum string `json:"checksum,omitempty" text:"checksum"`
	// Reason code of MP_TCPRST.
	ReasonCode *int `json:"reason_code,omitempty" text:"reason"`
	// The reason in words.
	Reason string `json:"reason,omitempty"`
}

// Event is what happened at a packet, as reports list it.
type Event struct {
	// What happened, by the name that reports give it.
	Kind string `json:"kind"`
	// Number of the packet that the event is about, if that is an earlier one; left out
	// with --normalise.
	Packet uint64 `json:"packet,omitempty"`
	// The details, for people; left out with --normalise.
	Detail string `json:"detail,omitempty"`
	// Cause of a fallback, by the name that reports give it.
	FallbackCode string `json:"fallback_code,omitempty" text:"fallback_code"`
	// Address that ADD_ADDR names.
	Address string `json:"address,omitempty" text:"address"`
	// Port that ADD_ADDR names.
	Port string `json:"port,omitempty" text:"port"`
	// Address id that the option names.
	AddressID *int `json:"address_id,omitempty" text:"address_id"`
	// Reason code of MP_TCPRST.
	ReasonCode *int `json:"reason_code,omitempty" text:"reason_code"`
	// Whether an HMAC proves the keys: "valid", "invalid", "unchecked".
	HMAC string `json:"hmac,omitempty" text:"hmac"`
	// Flag B of MP_JOIN's SYN, or of MP_PRIO.
	Backup *bool `json:"backup,omitempty" text:"backup"`
	// Flag T of MP_TCPRST.
	Transient *bool `json:"transient,omitempty" text:"transient"`
	// Whether the receiver acts on the packet.
	Effective *bool `json:"effective,omitempty" text:"effective"`
}

// EventLine is one event as a line of JSON. What does not apply to it, or is not known,
// is left out.
type EventLine struct {
	// Name and version of this form: mpanalyze.events/1.
	Schema string `json:"schema"`
	// Number of the packet in the analysis, from 1, over all files.
	Packet uint64 `json:"packet,omitempty"`
	// When it happened, RFC 3339 with nanoseconds.
	Time string `json:"time,omitempty"`
	// Seconds since the first packet of the connection.
	TS *float64 `json:"t_s,omitempty"`
	// Number of the Multipath TCP connection in the report.
	Connection *int `json:"connection,omitempty"`
	// Number of the subflow in its connection; left out where it concerns none, or all.
	Subflow *int `json:"subflow,omitempty"`
	// Direction of the packet: "a2b" or "b2a".
	Direction string `json:"direction"`
	Event
}
