package tracegen

import (
	"encoding/binary"
	"net/netip"

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

// LinkType is a link-layer header type (the LINKTYPE_ registry of
// tcpdump.org).
type LinkType uint16

// The link types that [Packet.AppendFrame] can write.
const (
	LinkNull     LinkType = 0   // BSD loopback, written in little endian
	LinkEthernet LinkType = 1   // Ethernet II
	LinkRaw      LinkType = 101 // IPv4 or IPv6 without a header before it
	LinkSLL      LinkType = 113 // Linux cooked v1
	LinkSLL2     LinkType = 276 // Linux cooked v2
)

// Side says whether the capturing host sent or received the packet. Linux cooked headers
// have it.
type Side uint8

// The packet types of a Linux cooked header.
const (
	Incoming Side = 0
	Outgoing Side = 4
)

// Packet is one TCP segment to be written.
type Packet struct {
	Time     int64 // nanoseconds since the Unix epoch
	Src, Dst netip.AddrPort
	Seq, Ack seq.Wire
	Flags    Flags
	Window   uint16 // as in the header, not scaled
	IPID     uint16 // IPv4 identification
	Side     Side

	// Options are the TCP options. AppendFrame pads them to a multiple of four bytes. More
	// than 40 bytes do not fit into a header: then AppendFrame panics.
	Options []byte

	// Payload is what the packet has of its payload. PayloadLen is the length of the
	// payload on the wire, if that is more: the rest is missing, as if a snapshot length
	// had cut it off. The TCP checksum is 0 if payload is missing.
	Payload    []byte
	PayloadLen int
}

// WirePayload returns the length of the payload on the wire, bytes.
func (p *Packet) WirePayload() int { return max(p.PayloadLen, len(p.Payload)) }

const (
	etherIPv4   = 0x0800
	etherIPv6   = 0x86dd
	protocolTCP = 6
	hopLimit    = 64
)

// AppendFrame appends the packet with its link-layer header. It returns the result, and the
// length of the frame on the wire in bytes.
func (p *Packet) AppendFrame(b []byte, link LinkType) (frame []byte, wire int) {
	start := len(b)
	b = p.appendLink(b, link)
	optLen := (len(p.Options) + 3) &^ 3
	if optLen > 40 {
		panic("tracegen: more than 40 bytes of TCP options")
	}
	segment := 20 + optLen + p.WirePayload()
	if p.Src.Addr().Is4() {
		b = p.appendIPv4(b, segment)
	} else {
		b = p.appendIPv6(b, segment)
	}
	b = p.appendTCP(b, optLen, segment)
	return b, len(b) - start + p.WirePayload() - len(p.Payload)
}

func (p *Packet) appendLink(b []byte, link LinkType) []byte {
	proto := uint16(etherIPv4)
	if p.Src.Addr().Is6() {
		proto = etherIPv6
	}
	switch link {
	case LinkNull:
		family := uint32(2) // AF_INET; AF_INET6 is 24, 28 or 30 by system
		if proto == etherIPv6 {
			family = 30
		}
		return binary.LittleEndian.AppendUint32(b, family)
	case LinkEthernet:
		b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
		return binary.BigEndian.AppendUint16(b, proto)
	case LinkSLL:
		b = append(b, 0, byte(p.Side), 0, 1, 0, 6, 2, 0, 0, 0, 0, 2, 0, 0)
		return binary.BigEndian.AppendUint16(b, proto)
	case LinkSLL2:
		b = binary.BigEndian.AppendUint16(b, proto)
		return append(b, 0, 0, 0, 0, 0, 1, 0, 1, byte(p.Side), 6, 2, 0, 0, 0, 0, 2, 0, 0)
	}
	return b
}

// appendIPv4 appends a header for a TCP segment of that length. If the 16-bit total length
// cannot hold it, the field is 0, as Linux writes it for segments that the network card
// divides (TSO).
func (p *Packet) appendIPv4(b []byte, segment int) []byte {
	total := 20 + segment
	if total > 0xffff {
		total = 0
	}
	h := len(b)
	b = append(b, 0x45, 0, byte(total>>8), byte(total), byte(p.IPID>>8), byte(p.IPID), 0x40, 0, hopLimit, protocolTCP, 0, 0)
	src, dst := p.Src.Addr().As4(), p.Dst.Addr().As4()
	b = append(append(b, src[:]...), dst[:]...)
	binary.BigEndian.PutUint16(b[h+10:], fold(sum(0, b[h:])))
	return b
}

func (p *Packet) appendIPv6(b []byte, segment int) []byte {
	length := segment
	if length > 0xffff {
		length = 0
	}
	b = append(b, 0x60, 0, 0, 0, byte(length>>8), byte(length), protocolTCP, hopLimit)
	src, dst := p.Src.Addr().As16(), p.Dst.Addr().As16()
	return append(append(b, src[:]...), dst[:]...)
}

func (p *Packet) appendTCP(b []byte, optLen, segment int) []byte {
	h := len(b)
	b = binary.BigEndian.AppendUint16(b, p.Src.Port())
	b = binary.BigEndian.AppendUint16(b, p.Dst.Port())
	b = binary.BigEndian.AppendUint32(b, uint32(p.Seq))
	b = binary.BigEndian.AppendUint32(b, uint32(p.Ack))
	b = append(b, byte(20+optLen)<<2, byte(p.Flags), byte(p.Window>>8), byte(p.Window), 0, 0, 0, 0)
	b = append(b, p.Options...)
	for len(b) < h+20+optLen {
		b = append(b, kindNOP)
	}
	b = append(b, p.Payload...)
	if len(p.Payload) == p.WirePayload() {
		binary.BigEndian.PutUint16(b[h+16:], fold(sum(p.pseudo(segment), b[h:])))
	}
	return b
}

// pseudo returns the sum over the pseudo header (RFC 9293, Section 3.1).
func (p *Packet) pseudo(segment int) uint32 {
	s := uint32(protocolTCP) + uint32(segment)
	for _, a := range [2]netip.Addr{p.Src.Addr(), p.Dst.Addr()} {
		if a.Is4() {
			v := a.As4()
			s = sum(s, v[:])
		} else {
			v := a.As16()
			s = sum(s, v[:])
		}
	}
	return s
}

// sum adds the 16-bit words of b to s (RFC 1071). It cannot overflow for any packet: that
// would need 2^16 words.
func sum(s uint32, b []byte) uint32 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	return s
}

// fold returns the one's complement checksum of a sum.
func fold(s uint32) uint16 {
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return ^uint16(s)
}

// streamByte returns the byte at an offset of the application stream of direction d. It is
// a fixed function of both, so that a test can check a reassembled stream at any place
// without keeping it.
func streamByte(d Dir, offset int64) byte {
	// Multiplication by 2^64 divided by the golden ratio spreads neighbours over all
	// values. The two directions use different parts of the 64-bit range.
	return byte((uint64(offset) + uint64(d)<<48) * 0x9e3779b97f4a7c15 >> 56)
}

// AppendStream appends n bytes of the stream of direction d from offset on.
func AppendStream(b []byte, d Dir, offset int64, n int) []byte {
	for i := range int64(n) {
		b = append(b, streamByte(d, offset+i))
	}
	return b
}
