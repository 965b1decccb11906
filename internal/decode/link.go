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

// minEtherType is the least EtherType; below it the field of an Ethernet frame
// is a length (IEEE 802.3, Section 3.2.6). cookedLLC is the value of a cooked
// header for such a frame.
const (
	minEtherType layers.EthernetType = 0x0600
	cookedLLC    layers.EthernetType = 0x0004
)

// ignore drops gopacket's feedback on truncated packets, because spans know how much was captured.
var ignore = gopacket.NilDecodeFeedback

// ethernetFrame says what an Ethernet frame begins with.
var ethernetFrame = capture.LinkEthernet.Framing()

func (d *Decoder) link(t capture.LinkType, b span) Outcome {
	switch frame := t.Framing(); frame.Layer {
	case capture.EtherTypeLayer:
		return d.typed(frame, b)
	case capture.CookedLayer:
		return d.cooked(t, frame, b)
	case capture.IPLayer:
		return d.ip(b)
	case capture.IPv4Layer:
		return d.ipv4(b)
	case capture.IPv6Layer:
		return d.ipv6(b)
	case capture.LoopbackLayer:
		return d.loopback(b)
	case capture.PPPLayer:
		return d.ppp(b)
	case capture.PPPoELayer:
		return d.pppoe(b)
	case capture.WirelessLayer:
		return d.wireless(b)
	case capture.RadiotapLayer, capture.PktapLayer, capture.PFLogLayer, capture.NFLogLayer:
		return d.pseudoHeader(frame.Layer, b)
	}
	d.countAnomaly(UnknownLink)
	return NotIP
}

// typed reads a header with an EtherType or the length of an LLC frame.
func (d *Decoder) typed(frame *capture.Framing, b span) Outcome {
	if !b.has(frame.Header) {
		return b.missing(frame.Header)
	}
	t := protocolOf(frame, b.data)
	b = b.from(frame.Header)
	if t < minEtherType {
		return d.llc(b.take(min(int(t), b.wire)))
	}
	return d.etherType(t, b)
}

// protocolOf returns the protocol in a header.
func protocolOf(frame *capture.Framing, data []byte) layers.EthernetType {
	return layers.EthernetType(binary.BigEndian.Uint16(data[frame.Type:]))
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

// readCooked reads a whole cooked header.
func readCooked(t capture.LinkType, frame *capture.Framing, data []byte) cookedHeader {
	h := cookedHeader{protocol: protocolOf(frame, data)}
	if t == capture.LinkSLL2 {
		h.hardware, h.packetType, h.ifindex = binary.BigEndian.Uint16(data[8:]), data[10], binary.BigEndian.Uint32(data[4:])
	} else {
		h.hardware, h.packetType = binary.BigEndian.Uint16(data[2:]), data[1]
	}
	return h
}

func (d *Decoder) cooked(t capture.LinkType, frame *capture.Framing, b span) Outcome {
	if !b.has(frame.Header) {
		return b.missing(frame.Header)
	}
	h := readCooked(t, frame, b.data)
	b = b.from(frame.Header)
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
