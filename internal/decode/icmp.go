package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// icmp decodes an ICMP message that says that a TCP segment was not delivered: it quotes the IP header and at least
// 8 bytes behind it (RFC 792; RFC 1812, Section 4.3.2.3; RFC 4443, Section 3). Quotes of fragments and of IPv6 packets with
// extension headers are not read.
func (d *Decoder) icmp(b span, v6 bool) Outcome {
	const header, ports = 8, 8
	if !b.has(header) {
		return NotTCP
	}
	m := packet.ICMP{Type: b.data[0], Code: b.data[1], V6: v6}
	m.From.Addr = d.net.src
	switch {
	case !m.IsError():
		return NotTCP
	case m.TooBig() && v6:
		m.MTU = binary.BigEndian.Uint32(b.data[4:])
	case m.TooBig():
		m.MTU = uint32(binary.BigEndian.Uint16(b.data[6:])) // RFC 1191, Section 4
	}
	quoted := b.data[header:]
	var inner int
	if v6 {
		inner = ip6HeaderLen
		if len(quoted) < inner+ports || quoted[0]>>4 != 6 || layers.IPProtocol(quoted[6]) != layers.IPProtocolTCP {
			return NotTCP
		}
		copy(d.net.src[:], quoted[8:24])
		copy(d.net.dst[:], quoted[24:40])
	} else {
		if len(quoted) < ip4HeaderLen || quoted[0]>>4 != 4 {
			return NotTCP
		}
		inner = int(quoted[0]&0x0f) * 4
		if inner < ip4HeaderLen || len(quoted) < inner+ports || layers.IPProtocol(quoted[9]) != layers.IPProtocolTCP || binary.BigEndian.Uint16(quoted[6:])&0x1fff != 0 {
			return NotTCP
		}
		putMapped(&d.net.src, quoted[12:16])
		putMapped(&d.net.dst, quoted[16:20])
	}
	d.message, d.tcp.data = m, quoted[inner:]
	return ICMP
}

// quote makes seg the segment that the latest ICMP message quotes.
func (d *Decoder) quote(seg *packet.Segment) {
	*seg = packet.Segment{Num: seg.Num, Time: seg.Time, File: seg.File, Iface: seg.Iface}
	seg.Src, seg.Dst = packet.Endpoint{Addr: d.net.src, Port: binary.BigEndian.Uint16(d.tcp.data)}, packet.Endpoint{Addr: d.net.dst, Port: binary.BigEndian.Uint16(d.tcp.data[2:])}
	seg.Seq = seq.Wire(binary.BigEndian.Uint32(d.tcp.data[4:]))
	seg.SetICMP(&d.message)
}
