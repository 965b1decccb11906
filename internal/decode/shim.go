package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"
)

// Protocol numbers of PPP (RFC 1332, RFC 5072, RFC 3032) and the second
// EtherType for stacked tags that came before IEEE 802.1ad.
const (
	pppIPv4          = 0x0021
	pppIPv6          = 0x0057
	pppMPLSUnicast   = 0x0281
	pppMPLSMulticast = 0x0283

	etherTypeOldQinQ layers.EthernetType = 0x9100
)

// etherType continues after an EtherType.
func (d *Decoder) etherType(t layers.EthernetType, b span) Outcome {
	const tag = 4
	for t == layers.EthernetTypeDot1Q || t == layers.EthernetTypeQinQ || t == etherTypeOldQinQ {
		if !b.has(tag) {
			return b.missing(tag)
		}
		if d.layer.dot1q.DecodeFromBytes(b.data, ignore) != nil {
			return Malformed
		}
		t, b = d.layer.dot1q.Type, b.from(tag)
	}
	switch t {
	case layers.EthernetTypeIPv4:
		return d.ipv4(b)
	case layers.EthernetTypeIPv6:
		return d.ipv6(b)
	case layers.EthernetTypeMPLSUnicast, layers.EthernetTypeMPLSMulticast:
		return d.mpls(b)
	case layers.EthernetTypePPPoESession:
		return d.pppoe(b)
	case etherTypeNSH:
		if d.opt.Decap {
			return d.nsh(b)
		}
	}
	if t < minEtherType { // a length behind a tag; gopacket's Ethernet layer handles a length without a tag
		return d.llc(b.take(min(int(t), b.wire)))
	}
	return NotIP
}

// ip continues with an IP packet of either version.
func (d *Decoder) ip(b span) Outcome {
	if !b.has(1) {
		return b.missing(1)
	}
	switch b.data[0] >> 4 {
	case 4:
		return d.ipv4(b)
	case 6:
		return d.ipv6(b)
	}
	return NotIP
}

// mpls skips a label stack (RFC 3032, Section 2.1). Labels do not say which protocol follows, but
// the first four bits of an IP packet do. It does not use gopacket, because gopacket's decoders
// of MPLS, PPP and PPPoE allocate.
func (d *Decoder) mpls(b span) Outcome {
	const entry = 4
	for bottom := false; !bottom; b = b.from(entry) {
		if !b.has(entry) {
			return b.missing(entry)
		}
		bottom = b.data[2]&1 != 0
	}
	const word = 4 // the control word of a pseudowire begins with 0 (RFC 4448, Section 4.6)
	if d.opt.Decap && b.has(1) && b.data[0] == 0 {
		if !b.has(word) {
			return b.missing(word)
		}
		return d.typed(ethernetFrame, b.from(word))
	}
	return d.ip(b)
}

// pppoe skips the header of the session stage (RFC 2516, Section 4).
func (d *Decoder) pppoe(b span) Outcome {
	const header = 6
	if !b.has(header) {
		return b.missing(header)
	}
	const version1Type1 = 0x11
	if b.data[0] != version1Type1 {
		return Malformed
	}
	length := int(binary.BigEndian.Uint16(b.data[4:]))
	b = b.from(header)
	return d.ppp(b.take(min(length, b.wire)))
}

// ppp reads the protocol field. Address and control may stand before it, as in HDLC,
// and it may be compressed to its low byte (RFC 1661, Sections 2 and 6.5; RFC 1662,
// Section 3.1). The low bit of its last byte is 1.
func (d *Decoder) ppp(b span) Outcome {
	const address, control = 0xff, 0x03
	if !b.has(2) { // the shortest packet has two bytes
		return b.missing(2)
	}
	if b.data[0] == address && b.data[1] == control {
		b = b.from(2)
	}
	if !b.has(1) {
		return b.missing(1)
	}
	protocol, length := uint16(b.data[0]), 1
	if protocol&1 == 0 {
		if length = 2; !b.has(length) {
			return b.missing(length)
		}
		protocol = binary.BigEndian.Uint16(b.data)
	}
	b = b.from(length)
	switch protocol {
	case pppIPv4:
		return d.ipv4(b)
	case pppIPv6:
		return d.ipv6(b)
	case pppMPLSUnicast, pppMPLSMulticast:
		return d.mpls(b)
	}
	return NotIP
}
