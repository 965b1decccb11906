package report

// Capable holds versions and flags in the MP_CAPABLE options of the handshake.
type Capable struct {
	// Version in the MP_CAPABLE of the SYN; null where none was captured.
	RequestedVersion *int `json:"requested_version" null:"none"`
	// Version in the MP_CAPABLE of the SYN/ACK; null where none was captured.
	AnsweredVersion *int `json:"answered_version" null:"none"`
	// Version in the first MP_CAPABLE of A after the SYN, as a rule in the third ACK; null where none was captured.
	ThirdACKVersion *int `json:"third_ack_version" null:"none"`
	// Flags in the MP_CAPABLE of the SYN; null where none was captured.
	RequestedFlags *CapableFlags `json:"requested_flags" null:"none"`
	// Flags in the MP_CAPABLE of the SYN/ACK; null where none was captured.
	AnsweredFlags *CapableFlags `json:"answered_flags" null:"none"`
	// Flags in the first MP_CAPABLE of A after the SYN; null where none was captured.
	ThirdACKFlags *CapableFlags `json:"third_ack_flags" null:"none"`
}

// CapableFlags are the flags of an MP_CAPABLE option (RFC 8684, Section 3.1).
type CapableFlags struct {
	// A: checksums are required.
	A bool `json:"a"`
	// B: an extension that no version defines; hosts ignore the option.
	B bool `json:"b"`
	// C: no further subflows to the sender's address and port (version 1).
	C bool `json:"c"`
	// D: an algorithm that no version defines.
	D bool `json:"d"`
	// E: an algorithm that no version defines.
	E bool `json:"e"`
	// F: an algorithm that no version defines.
	F bool `json:"f"`
	// G: an algorithm that no version defines.
	G bool `json:"g"`
	// H: HMAC-SHA1 in version 0, HMAC-SHA256 in version 1; without any flag from D to H hosts ignore the option.
	H bool `json:"h"`
}

// FallbackCode names why data runs without Multipath TCP; mpanalyze explain
// fallback_code says which counters of Linux count the same. Further codes may be added.
type FallbackCode string

// The codes: the SYN with MP_CAPABLE got no answer, but a SYN without it did; the
// SYN/ACK came without MP_CAPABLE, or the third ACK without a valid one; the first
// payload came without a mapping; mappings ended later; a host announced an infinite
// mapping; it did so because a checksum had failed.
const (
	FallbackSYN      FallbackCode = "syn_without_mp_capable"
	FallbackSYNACK   FallbackCode = "synack_without_mp_capable"
	FallbackThirdACK FallbackCode = "third_ack_without_mp_capable"
	FallbackData     FallbackCode = "first_data_without_dss"
	FallbackDSS      FallbackCode = "dss_missing"
	FallbackInfinite FallbackCode = "infinite_mapping"
	FallbackChecksum FallbackCode = "checksum_failed"
)

// EventFacts are the details of an event as values.
type EventFacts struct {
	// Address that ADD_ADDR announces or confirms; null in other events.
	Address *string `json:"address" null:"none"`
	// Port that it names; null where it names none.
	Port *int `json:"port" null:"none"`
	// Address id of ADD_ADDR, REMOVE_ADDR, MP_PRIO (version 0) or of the MP_JOIN of the subflow's initiator; null where there is none.
	AddressID *int `json:"address_id" null:"none"`
	// Whether ADD_ADDR confirms an address of the peer (RFC 8684, Section 3.4.1, flag E); null in other events.
	Echo *bool `json:"echo" null:"none"`
	// Whether the HMAC of MP_JOIN or ADD_ADDR holds; null where the option has none.
	HMAC *JoinHMAC `json:"hmac" null:"none"`
	// Reason code of MP_TCPRST (RFC 8684, Section 3.6); null without one.
	ReasonCode *int `json:"reason_code" null:"none"`
	// Name that RFC 8684 gives the reason code; null without one.
	Reason *string `json:"reason" null:"none"`
	// Flag T of MP_TCPRST, by which the error is transient; null without MP_TCPRST.
	Transient *bool `json:"transient" null:"none"`
	// Flag B of MP_PRIO, or of the MP_JOIN of the subflow's initiator; null in other events.
	Backup *bool `json:"backup" null:"none"`
	// False if the receiver ignores the packet or option: a RST or MP_FASTCLOSE with numbers outside its window, a wrong key or HMAC, a form that the version does not have; null where it is not known.
	Effective *bool `json:"effective" null:"none"`
}

// ResetReason counts RSTs by what their MP_TCPRST says (RFC 8684, Section 3.6).
type ResetReason struct {
	// Reason code.
	Code int `json:"reason_code"`
	// Name that RFC 8684 gives it.
	Reason string `json:"reason"`
	// Flag T: the error is transient.
	Transient bool `json:"transient"`
	// RSTs that say so.
	Packets int64 `json:"packets"`
}
