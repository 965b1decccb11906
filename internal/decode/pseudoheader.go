package decode

import (
	"encoding/binary"

	"mpanalyze/internal/capture"
)

// pseudoHeader skips the header of a packet that a driver or a firewall hands to the capture. The header says how long
// it is (www.tcpdump.org/linktypes.html).
func (d *Decoder) pseudoHeader(layer capture.Layer, b span) Outcome {
	const least = 12
	if !b.has(least) {
		return b.missing(least)
	}
	n := 0
	switch layer {
	case capture.RadiotapLayer: // www.radiotap.org: version, padding, length
		n = int(binary.LittleEndian.Uint16(b.data[2:]))
	case capture.PktapLayer:
		n = int(min(binary.LittleEndian.Uint32(b.data), 1<<16))
	case capture.PFLogLayer: // the length is without the padding to 4 bytes
		n = (int(b.data[0]) + 3) &^ 3
	default:
		return d.nflog(b.from(4))
	}
	inner := capture.LinkType(binary.LittleEndian.Uint32(b.data[8:])) // of PKTAP
	if n < least && layer != capture.RadiotapLayer || n > b.wire {
		return Malformed
	}
	if !b.has(n) {
		return b.missing(n)
	}
	switch b = b.from(n); {
	case layer == capture.RadiotapLayer:
		return d.wireless(b)
	case layer == capture.PFLogLayer:
		return d.ip(b)
	case inner == capture.LinkPktap:
		return Malformed
	}
	return d.link(inner, b)
}

// nflog looks for the packet among the attributes of netfilter: each has its length, its type, and padding to 4 bytes,
// in the byte order of the host.
func (d *Decoder) nflog(b span) Outcome {
	const header, payload = 4, 9
	var order binary.ByteOrder = binary.LittleEndian
	if b.has(header) && b.data[0] == 0 { // no attribute but the packet is longer than 255 bytes, and that is not the first
		order = binary.BigEndian
	}
	for b.has(header) {
		n := int(order.Uint16(b.data))
		switch {
		case n < header:
			return Malformed
		case order.Uint16(b.data[2:]) == payload:
			return d.ip(b.take(min(n, b.wire)).from(header))
		}
		if n = (n + 3) &^ 3; !b.has(n) {
			return b.missing(n)
		}
		b = b.from(n)
	}
	return b.missing(header)
}

// wireless reads a data frame of IEEE 802.11 (Section 9.3.2): three addresses, a fourth one between access points, the
// field of its quality of service. Encrypted frames hold nothing that can be read.
func (d *Decoder) wireless(b span) Outcome {
	const (
		header, address, qos, control = 24, 6, 2, 4
		kind, data, noData, hasQoS    = 0x0c, 0x08, 0x40, 0x80 // of the first byte
		toAndFrom, encrypted, order   = 0x03, 0x40, 0x80       // of the second
	)
	if !b.has(header) {
		return b.missing(header)
	}
	first, second, n := b.data[0], b.data[1], header
	if first&kind != data || first&noData != 0 || second&encrypted != 0 {
		return NotIP
	}
	if second&toAndFrom == toAndFrom {
		n += address
	}
	if first&hasQoS != 0 {
		if n += qos; second&order != 0 {
			n += control
		}
	}
	if !b.has(n) {
		return b.missing(n)
	}
	return d.llc(b.from(n))
}
