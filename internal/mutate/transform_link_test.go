package mutate

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"mpanalyze/internal/capture"
)

// mac returns the address of the interface of a host: by the last byte of its IP address.
func mac(last byte) []byte { return []byte{2, 0, 0, 0, 1, last} }

// hostsOf returns the last bytes of the addresses of an IP packet.
func hostsOf(kind uint16, ip []byte) (from, to byte) {
	switch {
	case kind == typeIPv4 && len(ip) >= 20:
		return ip[15], ip[19]
	case kind == typeIPv6 && len(ip) >= 40:
		return ip[23], ip[39]
	}
	return 1, 2
}

// link returns a function that gives packets a header of another link type. Where that cannot
// hold other packets than those of IP, they are left out.
func link(to capture.LinkType) func(*Transformed) bool {
	return func(c *Transformed) bool {
		own := c.outgoing()
		cooked := to == linkSLL || to == linkSLL2
		// A cooked header says which packets the host sent: no other header may replace it.
		if before := c.Link == linkSLL || c.Link == linkSLL2; c.Link == to || before != cooked && (before || len(own) == 0) {
			return false
		}
		var out []Packet
		for _, p := range c.Packets {
			kind, at := network(c.Link, p.Frame)
			header, ok := linkHeader(to, kind, p.Frame[at:])
			if !ok {
				if kind == typeVLAN {
					return false // the tag would be lost
				}
				continue
			}
			if cooked && sentBy(c, own, &p) {
				header[pktType[to]] = sentByHost
			}
			p.Frame, p.Wire = slices.Concat(header, p.Frame[at:]), p.Wire-at+len(header)
			out = append(out, p)
		}
		c.Packets, c.Link = out, to
		return true
	}
}

// linkHeader returns the header of a link type in front of a payload.
func linkHeader(to capture.LinkType, kind uint16, payload []byte) (header []byte, ok bool) {
	be := binary.BigEndian
	ip := kind == typeIPv4 || kind == typeIPv6
	from, dest := hostsOf(kind, payload)
	switch to {
	case linkEthernet:
		return be.AppendUint16(slices.Concat(mac(dest), mac(from)), kind), true
	case linkSLL:
		header = append([]byte{0, 0, 0, 1, 0, 6}, mac(from)...)
		return be.AppendUint16(append(header, 0, 0), kind), true
	case linkSLL2:
		header = append(be.AppendUint16(nil, kind), 0, 0, 0, 0, 0, 3, 0, 1, 0, 6)
		return append(append(header, mac(from)...), 0, 0), true
	case linkRaw, 12, 14, 228, 229:
		return nil, ip
	case 0, 108: // the family in the order of the host, here little endian, or of the network
		family := uint32(2)
		if kind == typeIPv6 {
			family = 30
		}
		if to == 108 {
			return be.AppendUint32(nil, family), ip
		}
		return binary.LittleEndian.AppendUint32(nil, family), ip
	default: // PPP
		return append([]byte{0xff, 3}, pppProtocol(kind)...), ip
	}
}

func pppProtocol(kind uint16) []byte {
	return map[uint16][]byte{typeIPv4: {0, 0x21}, typeIPv6: {0, 0x57}}[kind]
}

// pktType is where cooked headers say the direction.
var pktType = map[capture.LinkType]int{linkSLL: 1, linkSLL2: 10}

const sentByHost = 4

// sentBy reports whether the host of the capture sent a packet.
func sentBy(c *Transformed, own map[string]bool, p *Packet) bool {
	if at, cooked := pktType[c.Link]; cooked {
		return p.Frame[at] == sentByHost
	}
	h, ok := find(c.Link, p)
	if !ok {
		return false
	}
	from, _ := h.addresses()
	return own[string(from)]
}

// oneFamily is for captures with one version of IP.
func oneFamily(c *Transformed) bool {
	count := map[uint16]int{}
	for _, p := range c.Packets {
		kind, _ := network(c.Link, p.Frame)
		count[kind]++
	}
	switch {
	case count[typeIPv6] == 0:
		return link(228)(c)
	case count[typeIPv4] == 0:
		return link(229)(c)
	}
	return false
}

// ethernetPackets returns a function that changes the packets of a capture on Ethernet.
func ethernetPackets(change func(p *Packet)) func(*Transformed) bool {
	return func(c *Transformed) bool {
		for i := range c.Packets {
			if c.Link == linkEthernet {
				change(&c.Packets[i])
			}
		}
		return c.Link == linkEthernet
	}
}

func macAddresses(p *Packet) {
	for k := range 12 {
		p.Frame[k] ^= 0x5a & 0xfc // still of one host
	}
}

// ethernet returns a function that puts something between the Ethernet header and its payload.
// change gets and returns what begins with the EtherType.
func ethernet(change func(b []byte) []byte) func(*Transformed) bool {
	return ethernetPackets(func(p *Packet) {
		missing := p.Wire - len(p.Frame)
		p.Frame = slices.Concat(p.Frame[:12], change(p.Frame[12:]))
		p.Wire = len(p.Frame) + missing
	})
}

func tagged(kind, tag uint16) func(b []byte) []byte {
	return func(b []byte) []byte {
		return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, kind), tag), b...)
	}
}

func isIP(b []byte) bool {
	kind := binary.BigEndian.Uint16(b)
	return kind == typeIPv4 || kind == typeIPv6
}

// labelled puts two MPLS labels before IP (RFC 3032, Section 2.1).
func labelled(b []byte) []byte {
	if !isIP(b) {
		return b
	}
	return slices.Concat([]byte{0x88, 0x47, 0, 1, 0, 64, 0, 2, 0x11, 63}, b[2:])
}

// lengthOf returns the length of an IP packet behind its EtherType.
func lengthOf(b []byte) uint16 {
	if binary.BigEndian.Uint16(b) == typeIPv6 {
		return 40 + binary.BigEndian.Uint16(b[6:])
	}
	return binary.BigEndian.Uint16(b[4:])
}

// overPPPoE is RFC 2516, Section 4. The length is that of the whole packet: IP says it.
func overPPPoE(b []byte) []byte {
	if !isIP(b) {
		return b
	}
	length := lengthOf(b)
	header := binary.BigEndian.AppendUint16([]byte{0x88, 0x64, 0x11, 0, 0, 7}, length+2)
	return slices.Concat(header, pppProtocol(binary.BigEndian.Uint16(b)), b[2:])
}

// overLLC is RFC 1042.
func overLLC(b []byte) []byte {
	if !isIP(b) {
		return b
	}
	length := lengthOf(b)
	if length > 1492 {
		return b // an 802.3 frame cannot hold it
	}
	return slices.Concat(binary.BigEndian.AppendUint16(nil, length+8), []byte{0xaa, 0xaa, 3, 0, 0, 0}, b)
}

// padded fills short frames, as the network card of the sender does.
func padded(p *Packet) {
	if p.Wire < 60 && len(p.Frame) == p.Wire {
		p.Frame, p.Wire = append(p.Frame, make([]byte, 60-p.Wire)...), 60
	}
}

// checkSequence appends the frame check sequence (IEEE 802.3, Section 3.2.9).
func checkSequence(p *Packet) {
	if len(p.Frame) == p.Wire {
		p.Frame = binary.LittleEndian.AppendUint32(p.Frame, crc32.ChecksumIEEE(p.Frame))
	}
	p.Wire += 4
}

// again repeats each packet 1 us later, one hop further and with a VLAN tag.
func again(c *Transformed) bool {
	if c.Link != linkEthernet || !c.ordered() {
		return false
	}
	var out []Packet
	for i := range c.Packets {
		p := c.Packets[i].clone()
		p.Time += 1000
		if h, ok := find(c.Link, &p); ok {
			h.hop(-1)
		}
		p.Frame, p.Wire = slices.Concat(p.Frame[:12], tagged(typeVLAN, 9)(p.Frame[12:])), p.Wire+4
		out = append(out, c.Packets[i], p)
	}
	c.Packets = out
	c.sort()
	return true
}
