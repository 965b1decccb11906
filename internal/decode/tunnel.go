package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"
)

// maxTunnels is the largest number of nested tunnels that are opened.
const maxTunnels = 8

// UDP ports of the tunnels (RFC 7348, Section 5, and Linux's older default;
// RFC 8926, Section 3.3; 3GPP TS 29.281, Section 4.4.2). The source port says nothing, because
// tunnels use it to spread packets over paths.
const (
	portVXLAN      layers.UDPPort = 4789
	portVXLANLinux layers.UDPPort = 8472
	portGeneve     layers.UDPPort = 6081
	portGTPU       layers.UDPPort = 2152
	portVXLANGPE   layers.UDPPort = 4790
	portL2TP       layers.UDPPort = 1701
)

// EtherTypes that only tunnels carry (RFC 1701, RFC 2637).
const (
	etherTypeBridged layers.EthernetType = 0x6558
	etherTypePPP     layers.EthernetType = 0x880b
	etherTypeERSPAN  layers.EthernetType = 0x88be // types I and II
	etherTypeNSH     layers.EthernetType = 0x894f
)

// tunnel opens the payload of IP protocol p. The outcome for other protocols, and for tunnels
// without IP inside, is NotTCP.
func (d *Decoder) tunnel(p layers.IPProtocol, b span) Outcome {
	if d.depth == maxTunnels {
		d.countAnomaly(TooManyTunnels)
		return NotTCP
	}
	d.depth++
	o := NotTCP
	switch p {
	case layers.IPProtocolIPv4:
		o = d.ipv4(b)
	case layers.IPProtocolIPv6:
		o = d.ipv6(b)
	case layers.IPProtocolGRE:
		o = d.gre(b)
	case layers.IPProtocolUDP:
		o = d.udp(b)
	case layers.IPProtocolEtherIP: // RFC 3378
		if o = b.missing(2); b.has(2) {
			o = d.typed(ethernetFrame, b.from(2))
		}
	}
	if o == NotIP {
		return NotTCP
	}
	return o
}

// tunnelled decodes the bytes behind a tunnel's own EtherType.
func (d *Decoder) tunnelled(t layers.EthernetType, b span) Outcome {
	switch t {
	case etherTypeBridged:
		return d.typed(ethernetFrame, b)
	case etherTypePPP:
		return d.ppp(b)
	}
	return d.etherType(t, b)
}

// gre opens generic routing encapsulation (RFC 2784, RFC 2890, RFC 2637).
func (d *Decoder) gre(b span) Outcome {
	gre := &d.layer.gre
	if gre.DecodeFromBytes(b.data, ignore) != nil {
		if len(b.data) < b.wire {
			return Cut
		}
		return Malformed
	}
	b = b.from(len(gre.Contents))
	if gre.Protocol == etherTypeERSPAN {
		const header = 8
		if gre.SeqPresent { // type II; type I has no header
			if !b.has(header) {
				return b.missing(header)
			}
			b = b.from(header)
		}
		return d.typed(ethernetFrame, b)
	}
	return d.tunnelled(gre.Protocol, b)
}

// udp opens the tunnels over UDP, by port. If the payload is not in the form of the tunnel, it is
// another protocol on the same port.
func (d *Decoder) udp(b span) Outcome {
	const header = 8
	if !b.has(header) {
		return b.missing(header)
	}
	udp := &d.layer.udp
	if udp.DecodeFromBytes(b.data, ignore) != nil {
		return Malformed
	}
	b = b.from(header)
	if n := int(udp.Length); n != 0 { // 0 in a jumbogram (RFC 2675, Section 4)
		b = b.take(min(n-header, b.wire))
	}
	switch udp.DstPort {
	case portVXLAN, portVXLANLinux:
		return d.vxlan(b)
	case portGeneve:
		return d.geneve(b)
	case portGTPU:
		return d.gtpu(b)
	case portVXLANGPE:
		return d.vxlanGPE(b)
	case portL2TP:
		return d.l2tp(b)
	}
	return NotTCP
}

// vxlan opens VXLAN (RFC 7348, Section 5).
func (d *Decoder) vxlan(b span) Outcome {
	const header = 8
	if !b.has(header) {
		return b.missing(header)
	}
	vx := &d.layer.vxlan
	if vx.DecodeFromBytes(b.data, ignore) != nil || !vx.ValidIDFlag {
		return NotTCP
	}
	return d.typed(ethernetFrame, b.from(header))
}

// vxlanGPE opens VXLAN with a protocol field (draft-ietf-nvo3-vxlan-gpe, Section 3).
func (d *Decoder) vxlanGPE(b span) Outcome {
	const header, hasProtocol, nsh = 8, 0x04, 4
	switch {
	case !b.has(header):
		return b.missing(header)
	case b.data[0]&hasProtocol == 0:
		return d.vxlan(b)
	case b.data[3] == nsh:
		return d.nsh(b.from(header))
	}
	return d.next(b.data[3], b.from(header))
}

// nsh skips a network service header (RFC 8300, Section 2.2).
func (d *Decoder) nsh(b span) Outcome {
	const least = 8
	if !b.has(least) {
		return b.missing(least)
	}
	n := 4 * int(b.data[1]&0x3f)
	if n < least || n > b.wire {
		return NotTCP
	}
	if !b.has(n) {
		return b.missing(n)
	}
	return d.next(b.data[3], b.from(n))
}

// next continues with the protocol that NSH and VXLAN-GPE name.
func (d *Decoder) next(protocol byte, b span) Outcome {
	switch protocol {
	case 1, 2:
		return d.ip(b)
	case 3:
		return d.typed(ethernetFrame, b)
	}
	return NotTCP
}

// l2tp opens a data message of L2TP (RFC 2661, Section 3.1).
func (d *Decoder) l2tp(b span) Outcome {
	const least, control, length, sequence, offset, version = 6, 0x8000, 0x4000, 0x0800, 0x0200, 0x000f
	if !b.has(least) {
		return b.missing(least)
	}
	flags, n := binary.BigEndian.Uint16(b.data), least
	if flags&control != 0 || flags&version != 2 {
		return NotTCP
	}
	if flags&length != 0 {
		n += 2
	}
	if flags&sequence != 0 {
		n += 4
	}
	if flags&offset != 0 {
		if n += 2; !b.has(n) {
			return b.missing(n)
		}
		n += int(binary.BigEndian.Uint16(b.data[n-2:]))
	}
	if !b.has(n) {
		return b.missing(n)
	}
	return d.ppp(b.from(n))
}

// geneve opens Geneve (RFC 8926, Section 3.4). It does not use gopacket, which allocates for each
// option.
func (d *Decoder) geneve(b span) Outcome {
	const fixed = 8
	if !b.has(fixed) {
		return b.missing(fixed)
	}
	header := fixed + int(b.data[0]&0x3f)*4
	version, control := b.data[0]>>6, b.data[1]&0x80 != 0
	if version != 0 || control || header > b.wire {
		return NotTCP
	}
	if !b.has(header) {
		return Cut
	}
	return d.tunnelled(layers.EthernetType(binary.BigEndian.Uint16(b.data[2:])), b.from(header))
}

// gtpu opens a G-PDU of GTP-U (3GPP TS 29.281, Section 5). It does not use gopacket, which
// refuses a message that was not captured to its end.
func (d *Decoder) gtpu(b span) Outcome {
	const (
		fixed, optional = 8, 4
		gpdu            = 255
		version1, isGTP = 1, 0x10
		anyOptional     = 0x07 // E, S, PN: the optional part is there if any of them is set
		hasExtension    = 0x04
	)
	if !b.has(fixed) {
		return b.missing(fixed)
	}
	flags := b.data[0]
	if flags>>5 != version1 || flags&isGTP == 0 || b.data[1] != gpdu {
		return NotTCP
	}
	length := int(binary.BigEndian.Uint16(b.data[2:]))
	b = b.from(fixed)
	b = b.take(min(length, b.wire))
	if flags&anyOptional != 0 {
		if !b.has(optional) {
			return b.missing(optional)
		}
		more := flags&hasExtension != 0 && b.data[optional-1] != 0
		b = b.from(optional)
		// Each extension header starts with its length in units of four
		// bytes and ends with the type of the next one (Section 5.2.1).
		for more {
			if !b.has(1) {
				return b.missing(1)
			}
			n := int(b.data[0]) * 4
			if n == 0 {
				return Malformed
			}
			if !b.has(n) {
				return b.missing(n)
			}
			more = b.data[n-1] != 0
			b = b.from(n)
		}
	}
	return d.ip(b)
}
