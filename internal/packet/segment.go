package packet

import (
	"net/netip"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Flags are the control bits of a TCP header (RFC 9293, Section 3.1).
type Flags uint8

// The control bits, at their place in the header.
const (
	FIN Flags = 1 << iota
	SYN
	RST
	PSH
	ACK
	URG
	ECE
	CWR
)

// Has reports whether all bits of f are set.
func (s Flags) Has(f Flags) bool { return s&f == f }

// Present says which optional parts of a [Segment] were in the header.
type Present uint16

// The optional parts.
const (
	HasMSS Present = 1 << iota
	HasWScale
	HasSACKPermitted
	HasTimestamps
	HasDSS
	// OptionsCut says that the capture ends inside the options. Options before that were read.
	OptionsCut
	// OptionsMalformed says that the option list has an impossible length. Options
	// before it were read, as hosts do.
	OptionsMalformed
	// BadMPTCP says that at least one MPTCP option had no legal form.
	BadMPTCP
	// OddMPTCP says that there is a second DSS option, which is not decoded, or an MPTCP option with an
	// unregistered subtype. Other holds it.
	OddMPTCP
	// Outgoing and Incoming are the direction that a Linux cooked header
	// gives, as seen from the capturing host; neither is set elsewhere.
	Outgoing
	Incoming
	// Quoted says that an ICMP message quotes the segment: only Src, Dst and Seq are valid. See
	// [Segment.ICMP].
	Quoted
	// HasPayload says that Payload is kept. It is not part of the header, but Have is
	// in the first cache lines, unlike Payload.
	HasPayload
	// ClockChanged says that Clock and ClockSet are valid. It is not part of the header.
	ClockChanged
	// SeenTwice says that the same packet was captured a moment before at the same
	// place, and that ClockSet says how long before. It is not part of the header.
	SeenTwice
	// Untimed says that the capture time contradicts the order of the packets, and that the
	// packet has got the time of its neighbour. No delay is measured from it or to it. It is
	// not part of the header.
	Untimed
)

// ClockChange says what is wrong with the clock at a packet.
type ClockChange uint8

const (
	// ClockProven says that the timestamps of the hosts prove a step of the clock: times
	// before and after can be compared.
	ClockProven ClockChange = 1 << iota
	// OutOfOrder says that there is no step: the packet is older than the packet before it in
	// the file, and has got that packet's time.
	OutOfOrder
	// TwoPlaces says that the capture was taken at two places, and its times are those of
	// either. There may be a step or OutOfOrder, too.
	TwoPlaces
	// Uncountable says that the packet has the time of the packet before it in the file, because
	// its own is beyond what can be counted.
	Uncountable
)

// Has reports whether all bits of f are set.
func (c ClockChange) Has(f ClockChange) bool { return c&f == f }

// Endpoint is an address and port. IPv4 addresses are held in their
// IPv4-mapped IPv6 form (RFC 4291, Section 2.5.5.2), so that the value
// compares with == and can be a map key.
type Endpoint struct {
	Addr [16]byte
	Port uint16
}

// AddrPort returns the endpoint as the standard library has it. IPv4 in IPv6 is IPv4.
func (e Endpoint) AddrPort() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port)
}

// SACKBlock is one block of a SACK option (RFC 2018): data from Left up to,
// not including, Right has arrived.
type SACKBlock struct{ Left, Right seq.Wire }

// Segment is a captured TCP packet: a flat value without pointers into the capture. The
// fast path needs only its first 128 bytes.
type Segment struct {
	Num  uint64 // number of the packet in the source, from 1
	Time int64  // capture time in nanoseconds since [Origin], above 0

	Src, Dst Endpoint

	Seq, Ack seq.Wire
	Have     Present
	Flags    Flags
	NSACK    uint8 // number of valid entries in SACK

	Window     uint16    // as in the header, not scaled
	OtherLen   uint8     // number of valid bytes in Other
	OptLen     uint8     // length of the TCP options on the wire, padding included, bytes
	PayloadLen uint32    // length of the TCP payload on the wire, bytes
	TSVal      uint32    // valid with HasTimestamps
	TSEcr      uint32    // valid with HasTimestamps
	DSS        mptcp.DSS // empty without HasDSS

	IPv6  bool
	CE    bool   // a router marked congestion in the IP header (RFC 3168, Section 5)
	IPID  uint16 // IPv4 identification; 0 for IPv6
	File  uint16 // index of the capture file
	Iface uint16 // index of the interface within all files

	SACK [4]SACKBlock // zero from NSACK on; the first block belongs to the 128 bytes

	// Payload is the captured part of the payload, shorter than PayloadLen if the snapshot
	// length cut it; nil without HasPayload. The function that sets it documents
	// how long it is valid.
	Payload []byte

	Captured uint32 // captured bytes of the payload, if the decoder was asked for them
	MSS      uint16 // valid with HasMSS
	Urgent   uint16 // urgent pointer, 0 without URG
	WScale   uint8  // shift count, valid with HasWScale

	Clock ClockChange // valid with ClockChanged

	FastOpen FastOpen // of a SYN

	// Other holds all MPTCP options of the header, one after the other, except the
	// first valid DSS: kind and length included, also those without a legal form. They
	// are too rare to have decoded fields in every segment; use [mptcp.Walk] and
	// [mptcp.Check].
	Other [40]byte

	// ClockSet is by how many ns the clock was set forward before the packet, already subtracted
	// from its time; with OutOfOrder how much the packet is too early, below zero. It is valid
	// with ClockChanged. With SeenTwice it is by how many ns the packet is later than its equal.
	ClockSet int64

	// The fields take four cache lines. In a slice each segment begins
	// on a line, so the first 128 bytes are two lines, a pair that processors fetch
	// together.
}

// SetPayload sets the payload; nil says that it is not kept.
func (s *Segment) SetPayload(payload []byte) {
	if s.Payload = payload; payload == nil {
		s.Have &^= HasPayload
		return
	}
	s.Have |= HasPayload
}

// End returns the sequence number after the last byte that the segment occupies:
// payload, SYN and FIN (RFC 9293, Section 3.4).
func (s *Segment) End() seq.Wire {
	end := s.Seq + seq.Wire(s.PayloadLen)
	if s.Flags&SYN != 0 {
		end++
	}
	if s.Flags&FIN != 0 {
		end++
	}
	return end
}

// OtherMPTCP returns the MPTCP options other than the first DSS, whole.
func (s *Segment) OtherMPTCP() []byte { return s.Other[:s.OtherLen] }
