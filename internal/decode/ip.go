package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"
)

// Lengths in bytes of the IP headers without options and extensions
// (RFC 791, Section 3.1; RFC 8200, Section 3).
const (
	ip4HeaderLen = 20
	ip6HeaderLen = 40
)

func (d *Decoder) ipv4(b span) Outcome {
	if !b.has(ip4HeaderLen) {
		return b.missing(ip4HeaderLen)
	}
	header := int(b.data[0]&0x0f) * 4
	if b.data[0]>>4 != 4 || header < ip4HeaderLen {
		return Malformed
	}
	length := d.ipv4Length(b)
	if length < header {
		return Malformed
	}
	b = b.take(length)
	if !b.has(header) {
		return Cut
	}
	const notWhole = 0x3fff // more fragments, fragment offset
	protocol, whole := layers.IPProtocol(b.data[9]), binary.BigEndian.Uint16(b.data[6:])&notWhole == 0
	// gopacket checks options and reads what fragment4 needs. It reads a length of 0 as what was
	// captured, so only fields that do not depend on the length are taken from it.
	if (header > ip4HeaderLen || !whole) && d.layer.ip4.DecodeFromBytes(b.data, ignore) != nil {
		return Malformed
	}
	putMapped(&d.net.src, b.data[12:16])
	putMapped(&d.net.dst, b.data[16:20])
	d.net.ipv6, d.net.id, d.net.ce = false, binary.BigEndian.Uint16(b.data[4:]), b.data[1]&congested == congested
	b = b.from(header)
	switch {
	case whole:
		return d.protocol(protocol, b)
	case d.mayHoldTCP(protocol):
		return d.fragment4(b)
	}
	return NotTCP
}

// ipv4Length returns the length of an IPv4 packet on the wire. The field is 0 in a super-segment
// that was captured before the network card cut it into segments, because it may be longer than
// the field can express.
func (d *Decoder) ipv4Length(b span) int {
	length := int(binary.BigEndian.Uint16(b.data[2:]))
	if length == 0 {
		d.countAnomaly(LengthFromFrame)
		return b.wire
	}
	if length > b.wire {
		d.countAnomaly(LengthBeyondFrame)
	}
	return length
}

// ipv6 reads the fixed header by hand: gopacket's layer refuses a payload
// length of 0 without a jumbo payload option, as BIG TCP has it, and allocates
// for each hop-by-hop option.
func (d *Decoder) ipv6(b span) Outcome {
	if !b.has(ip6HeaderLen) {
		return b.missing(ip6HeaderLen)
	}
	if b.data[0]>>4 != 6 {
		return Malformed
	}
	length := int(binary.BigEndian.Uint16(b.data[4:]))
	next := layers.IPProtocol(b.data[6])
	copy(d.net.src[:], b.data[8:24])
	copy(d.net.dst[:], b.data[24:40])
	d.net.ipv6, d.net.id, d.net.ce = true, 0, b.data[1]>>4&congested == congested
	b = b.from(ip6HeaderLen)
	switch {
	case length == 0 && next == layers.IPProtocolIPv6HopByHop:
		var o Outcome
		if length, o = jumboLength(b); o != TCP {
			return o
		}
	case length == 0:
		d.countAnomaly(LengthFromFrame)
		length = b.wire
	case length > b.wire:
		d.countAnomaly(LengthBeyondFrame)
	}
	return d.extensions(next, b.take(length))
}

// jumboLength returns the payload length from a jumbo payload option in the hop-by-hop
// options header b (RFC 2675, Section 2), or the length of the frame if there is no such
// option. The outcome is TCP if there is a length. In a jumbogram, a length beyond the frame
// counts as damage, because it could be 4 GiB.
func jumboLength(b span) (int, Outcome) {
	const jumbo, pad1 = 0xc2, 0
	header, o := extensionLen(b)
	if o != TCP {
		return 0, o
	}
	for options := b.data[2:header]; len(options) > 0; {
		if options[0] == pad1 {
			options = options[1:]
			continue
		}
		if len(options) < 2 || len(options) < 2+int(options[1]) {
			return 0, Malformed
		}
		if options[0] == jumbo && options[1] == 4 {
			length := int64(binary.BigEndian.Uint32(options[2:]))
			if length > int64(b.wire) || length < int64(header) {
				return 0, Malformed
			}
			return int(length), TCP
		}
		options = options[2+int(options[1]):]
	}
	return b.wire, TCP
}

// extensionLen returns the length of the IPv6 extension header at the start of b (RFC
// 8200, Section 4.3). The outcome is TCP if all of it was captured.
func extensionLen(b span) (int, Outcome) {
	if !b.has(2) {
		return 0, b.missing(2)
	}
	n := 8 + 8*int(b.data[1])
	if !b.has(n) {
		return 0, b.missing(n)
	}
	return n, TCP
}

// extensions walks through the extension headers of an IPv6 packet (RFC 8200, Section
// 4). Each is at least 8 bytes long, so the walk ends.
func (d *Decoder) extensions(next layers.IPProtocol, b span) Outcome {
	for {
		switch next {
		case layers.IPProtocolIPv6HopByHop, layers.IPProtocolIPv6Destination, layers.IPProtocolIPv6Routing:
			n, o := extensionLen(b)
			if o != TCP {
				return o
			}
			if next == layers.IPProtocolIPv6Routing {
				d.finalDestination(b.data[:n])
			}
			next, b = layers.IPProtocol(b.data[0]), b.from(n)
		case layers.IPProtocolAH:
			var o Outcome
			if next, b, o = d.authenticated(b); o != TCP {
				return o
			}
		case layers.IPProtocolIPv6Fragment:
			const header = 8
			if !b.has(header) {
				return b.missing(header)
			}
			f := &d.layer.fragment
			if f.DecodeFromBytes(b.data, ignore) != nil {
				return Malformed
			}
			next, b = f.NextHeader, b.from(header)
			if f.MoreFragments || f.FragmentOffset != 0 { // else atomic (RFC 6946): a packet as any other
				if !d.mayHoldTCP(next) {
					return NotTCP
				}
				return d.fragment6(b)
			}
		default:
			return d.protocol(next, b)
		}
	}
}

// finalDestination replaces the destination address, which is only the next waypoint
// while a routing header has segments left, by the end of the TCP connection: the last
// address of types 0 and 2 (RFC 2460, Section 4.4; RFC 6275, Section 6.4), the first of
// type 4, which lists its segments from the end (RFC 8754, Section 2).
func (d *Decoder) finalDestination(header []byte) {
	const fixed, address = 8, 16
	n := (len(header) - fixed) / address
	if segmentsLeft := header[3]; segmentsLeft == 0 || n == 0 {
		return
	}
	switch addresses := header[fixed:]; header[2] {
	case 0, 2:
		copy(d.net.dst[:], addresses[(n-1)*address:])
	case 4:
		copy(d.net.dst[:], addresses)
	}
}

// protocol decodes the payload of an IP packet.
func (d *Decoder) protocol(p layers.IPProtocol, b span) Outcome {
	for p == layers.IPProtocolAH {
		var o Outcome
		if p, b, o = d.authenticated(b); o != TCP {
			return o
		}
	}
	switch {
	case p == layers.IPProtocolTCP:
		d.tcp = b
		return TCP
	case p == layers.IPProtocolICMPv4 && !d.net.ipv6 || p == layers.IPProtocolICMPv6 && d.net.ipv6:
		return d.icmp(b, d.net.ipv6)
	case d.opt.Decap:
		return d.tunnel(p, b)
	}
	return NotTCP
}

// mayHoldTCP reports whether a datagram of protocol p may hold a TCP segment, so that
// its fragments are kept.
func (d *Decoder) mayHoldTCP(p layers.IPProtocol) bool {
	switch p {
	case layers.IPProtocolTCP, layers.IPProtocolAH, layers.IPProtocolIPv6Destination, layers.IPProtocolIPv6Routing:
		return true
	case layers.IPProtocolIPv4, layers.IPProtocolIPv6, layers.IPProtocolGRE, layers.IPProtocolUDP:
		return d.opt.Decap
	}
	return false
}

// authenticated skips an authentication header (RFC 4302, Section 2.2) and returns the bytes
// behind it, which are not encrypted. The outcome is TCP if the whole header was captured.
func (d *Decoder) authenticated(b span) (layers.IPProtocol, span, Outcome) {
	if !b.has(2) {
		return 0, b, b.missing(2)
	}
	n := (int(b.data[1]) + 2) * 4
	if !b.has(n) {
		return 0, b, b.missing(n)
	}
	ah := &d.layer.auth
	if ah.DecodeFromBytes(b.data, ignore) != nil {
		return 0, b, Malformed
	}
	return ah.NextHeader, b.from(n), TCP
}
