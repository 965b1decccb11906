package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
)

// The address families of the loopback header. AF_INET6 has a different number on each of these
// systems.
const (
	familyINET         layers.ProtocolFamily = 2
	familyINET6Linux   layers.ProtocolFamily = 10
	familyINET6BSD     layers.ProtocolFamily = 24
	familyINET6FreeBSD layers.ProtocolFamily = 28
	familyINET6Darwin  layers.ProtocolFamily = 30
)

// Lengths of link-layer headers in bytes (IEEE 802.3, Section 3.1.1;
// LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2, tcpdump.org).
const (
	ethernetHeaderLen = 14
	sllHeaderLen      = 16
	sll2HeaderLen     = 20
)

// minEtherType is the least EtherType; below it the field of an Ethernet frame
// is a length (IEEE 802.3, Section 3.2.6). cookedLLC is the value of a cooked
// header for such a frame.
const (
	minEtherType layers.EthernetType = 0x0600
	cookedLLC    layers.EthernetType = 0x0004
)

// ignore drops gopacket's feedback on truncated packets, because spans know how much was captured.
var ignore = gopacket.NilDecodeFeedback

func (d *Decoder) link(t capture.LinkType, b span) Outcome {
	switch t {
	case capture.LinkEthernet:
		return d.ethernet(b)
	case capture.LinkSLL2:
		return d.sll2(b)
	case capture.LinkSLL:
		return d.sll(b)
	case capture.LinkRaw, capture.LinkRawDLT, capture.LinkRawBSD:
		return d.ip(b)
	case capture.LinkIPv4:
		return d.ipv4(b)
	case capture.LinkIPv6:
		return d.ipv6(b)
	case capture.LinkNull, capture.LinkLoop:
		return d.loopback(b)
	case capture.LinkPPP, capture.LinkPPPHDLC:
		return d.ppp(b)
	case capture.LinkPPPoE:
		return d.pppoe(b)
	}
	d.countAnomaly(UnknownLink)
	return NotIP
}

func (d *Decoder) ethernet(b span) Outcome {
	eth := &d.layer.ethernet
	if !b.has(ethernetHeaderLen) {
		return b.missing(ethernetHeaderLen)
	}
	if eth.DecodeFromBytes(b.data, ignore) != nil {
		return Malformed
	}
	b = b.from(ethernetHeaderLen)
	if eth.EthernetType == layers.EthernetTypeLLC {
		return d.llc(b.take(min(int(eth.Length), b.wire)))
	}
	return d.etherType(eth.EthernetType, b)
}

// llc looks for a SNAP header that says which protocol an 802.3 frame carries
// (RFC 1042).
func (d *Decoder) llc(b span) Outcome {
	const snap = "\xaa\xaa\x03\x00\x00\x00"
	const header = len(snap) + 2
	n := min(len(b.data), len(snap))
	switch {
	case b.wire < header || string(b.data[:n]) != snap[:n]:
		return NotIP
	case !b.has(header):
		return Cut
	}
	t := layers.EthernetType(uint16(b.data[6])<<8 | uint16(b.data[7]))
	return d.etherType(t, b.from(header))
}

// A cookedHeader holds the values of a Linux cooked header. gopacket does not read it, because
// gopacket refuses link-layer addresses of more than 8 bytes, as on InfiniBand, although the
// header holds only the first 8 bytes.
type cookedHeader struct {
	hardware   uint16 // ARPHRD_ type
	protocol   layers.EthernetType
	packetType uint8
	ifindex    uint32 // SLL2 only
}

func readSLL(data []byte) cookedHeader {
	return cookedHeader{
		hardware:   binary.BigEndian.Uint16(data[2:]),
		protocol:   layers.EthernetType(binary.BigEndian.Uint16(data[14:])),
		packetType: data[1],
	}
}

func readSLL2(data []byte) cookedHeader {
	return cookedHeader{
		hardware:   binary.BigEndian.Uint16(data[8:]),
		protocol:   layers.EthernetType(binary.BigEndian.Uint16(data)),
		packetType: data[10],
		ifindex:    binary.BigEndian.Uint32(data[4:]),
	}
}

func (d *Decoder) sll(b span) Outcome {
	if !b.has(sllHeaderLen) {
		return b.missing(sllHeaderLen)
	}
	return d.cooked(readSLL(b.data), b.from(sllHeaderLen))
}

func (d *Decoder) sll2(b span) Outcome {
	if !b.has(sll2HeaderLen) {
		return b.missing(sll2HeaderLen)
	}
	return d.cooked(readSLL2(b.data), b.from(sll2HeaderLen))
}

func (d *Decoder) cooked(h cookedHeader, b span) Outcome {
	d.point = d.point.cookedAs(h)
	if h.protocol == cookedLLC {
		return d.llc(b)
	}
	if t := h.etherType(); t != 0 {
		return d.etherType(t, b)
	}
	return NotIP
}

// etherType returns the EtherType of the payload; 0 if the protocol field is no EtherType:
// for netlink, frame relay and the 802.11 types, and for the low values, which name
// kinds of frames (LINKTYPE_LINUX_SLL2, tcpdump.org).
func (h cookedHeader) etherType() layers.EthernetType {
	switch h.hardware {
	case 770, 801, 802, 803, 824:
		return 0
	}
	if h.protocol < minEtherType {
		return 0
	}
	return h.protocol
}

// loopback reads the header of LINKTYPE_NULL, in the byte order of the
// capturing host, and of LINKTYPE_LOOP, in network byte order.
func (d *Decoder) loopback(b span) Outcome {
	const header = 4
	if !b.has(header) {
		return b.missing(header)
	}
	loop := &d.layer.loopback
	if loop.DecodeFromBytes(b.data, ignore) != nil {
		return Malformed
	}
	b = b.from(header)
	switch loop.Family {
	case familyINET:
		return d.ipv4(b)
	case familyINET6Linux, familyINET6BSD, familyINET6FreeBSD, familyINET6Darwin:
		return d.ipv6(b)
	}
	return NotIP
}
